from pathlib import Path

from setuptools import find_packages, setup

setup(
    name="contentsvc-volcengine",
    version="1.0.0",
    description="Doubao, Seedream, Seedance and Volcengine's voices and asset library for contentsvc",
    long_description=(Path(__file__).parent / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    python_requires=">=3.11",
    packages=find_packages(include=["contentsvc_volcengine", "contentsvc_volcengine.*"]),
    package_data={"contentsvc_volcengine": ["py.typed"]},
    install_requires=[
        "contentsvc",
        "contentsvc-authoring>=1",
        "volcengine-ark-runtime>=5.0.54,<6",
        "httpx>=0.28,<1",
    ],
    entry_points={"contentsvc.plugins": ["volcengine = contentsvc_volcengine:plugin"]},
)
