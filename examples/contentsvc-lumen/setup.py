from pathlib import Path

from setuptools import setup

setup(
    name="contentsvc-lumen",
    version="1.0.0",
    description="Lumen's pictures and voices for contentsvc",
    long_description=(Path(__file__).parent / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    python_requires=">=3.11",
    py_modules=["contentsvc_lumen"],
    install_requires=["contentsvc"],
    extras_require={"testing": ["contentsvc[testing]"]},
    entry_points={"contentsvc.plugins": ["lumen = contentsvc_lumen"]},
)
