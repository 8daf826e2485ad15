from pathlib import Path

from setuptools import find_packages, setup

setup(
    name="contentsvc-replicate",
    version="1.0.0",
    description="Pictures and clips from the models on Replicate, for contentsvc",
    long_description=(Path(__file__).parent / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    python_requires=">=3.11",
    packages=find_packages(include=["contentsvc_replicate", "contentsvc_replicate.*"]),
    package_data={"contentsvc_replicate": ["py.typed", "models.json"]},
    install_requires=["contentsvc", "contentsvc-declared>=1"],
    entry_points={"contentsvc.plugins": ["replicate = contentsvc_replicate:plugin"]},
)
