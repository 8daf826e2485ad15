from pathlib import Path

from setuptools import find_packages, setup

setup(
    name="contentsvc-authoring",
    version="1.0.0",
    description="For contentsvc's plugins: language models as authors and readers of scripts",
    long_description=(Path(__file__).parent / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    python_requires=">=3.11",
    packages=find_packages(include=["contentsvc_authoring", "contentsvc_authoring.*"]),
    package_data={"contentsvc_authoring": ["py.typed"]},
    install_requires=["contentsvc", "pydantic>=2.12"],
)
