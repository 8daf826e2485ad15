from pathlib import Path

from setuptools import find_packages, setup

setup(
    name="contentsvc-google",
    version="1.0.0",
    description="Provider for contentsvc: Gemini's texts and pictures, Omni's clips",
    long_description=(Path(__file__).parent / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    python_requires=">=3.11",
    packages=find_packages(include=["contentsvc_google", "contentsvc_google.*"]),
    package_data={"contentsvc_google": ["py.typed"]},
    install_requires=["contentsvc", "contentsvc-authoring", "google-genai>=3.4,<4", "httpx>=0.28"],
    entry_points={"contentsvc.plugins": ["google = contentsvc_google:plugin"]},
)
