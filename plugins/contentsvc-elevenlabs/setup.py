from pathlib import Path

from setuptools import find_packages, setup

setup(
    name="contentsvc-elevenlabs",
    version="1.0.0",
    description="Provider for contentsvc: voices of ElevenLabs",
    long_description=(Path(__file__).parent / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    python_requires=">=3.11",
    packages=find_packages(include=["contentsvc_elevenlabs", "contentsvc_elevenlabs.*"]),
    package_data={"contentsvc_elevenlabs": ["py.typed"]},
    install_requires=["contentsvc", "elevenlabs>=2.78,<3", "httpx>=0.28"],
    entry_points={"contentsvc.plugins": ["elevenlabs = contentsvc_elevenlabs:plugin"]},
)
