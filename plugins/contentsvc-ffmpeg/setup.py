from pathlib import Path

from setuptools import find_packages, setup

setup(
    name="contentsvc-ffmpeg",
    version="1.0.0",
    description="Finishes contentsvc's films with ffmpeg: cuts, transitions, subtitles, voice and music",
    long_description=(Path(__file__).parent / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    python_requires=">=3.11",
    packages=find_packages(include=["contentsvc_ffmpeg", "contentsvc_ffmpeg.*"]),
    package_data={"contentsvc_ffmpeg": ["py.typed", "fonts/*"]},
    install_requires=["contentsvc", "imageio-ffmpeg>=0.8", "pillow>=12"],
    entry_points={"contentsvc.plugins": ["ffmpeg = contentsvc_ffmpeg:plugin"]},
)
