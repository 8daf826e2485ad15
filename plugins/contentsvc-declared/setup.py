from pathlib import Path

from setuptools import find_packages, setup

setup(
    name="contentsvc-declared",
    version="1.0.0",
    description="For contentsvc's plugins: models whose inputs and outputs are declared as data",
    long_description=(Path(__file__).parent / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    python_requires=">=3.11",
    packages=find_packages(include=["contentsvc_declared", "contentsvc_declared.*"]),
    package_data={"contentsvc_declared": ["py.typed"]},
    install_requires=["contentsvc", "httpx>=0.28", "pydantic>=2.12"],
)
