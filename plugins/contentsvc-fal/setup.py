from pathlib import Path

from setuptools import find_packages, setup

setup(
    name="contentsvc-fal",
    version="1.0.0",
    description="Pictures and clips from the models on fal.ai, for contentsvc",
    long_description=(Path(__file__).parent / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    python_requires=">=3.11",
    packages=find_packages(include=["contentsvc_fal", "contentsvc_fal.*"]),
    package_data={"contentsvc_fal": ["py.typed", "models.json"]},
    install_requires=["contentsvc", "contentsvc-declared>=1", "httpx>=0.28"],
    entry_points={"contentsvc.plugins": ["fal = contentsvc_fal:plugin"]},
)
