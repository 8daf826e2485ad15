from pathlib import Path

from setuptools import find_packages, setup

setup(
    name="contentsvc-studio",
    version="1.0.0",
    description="Offline provider for contentsvc that composes product pictures without a model",
    long_description=(Path(__file__).parent / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    python_requires=">=3.11",
    packages=find_packages(include=["contentsvc_studio", "contentsvc_studio.*"]),
    package_data={"contentsvc_studio": ["py.typed", "fonts/*"]},
    install_requires=["contentsvc", "espeakng-loader>=0.2.4", "imageio-ffmpeg>=0.8", "pillow>=12"],
    entry_points={"contentsvc.plugins": ["studio = contentsvc_studio:plugin"]},
)
