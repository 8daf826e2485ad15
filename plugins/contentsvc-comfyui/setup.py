from pathlib import Path

from setuptools import find_packages, setup

setup(
    name="contentsvc-comfyui",
    version="1.0.0",
    description="Pictures and clips from the workflows of one's own ComfyUI, for contentsvc",
    long_description=(Path(__file__).parent / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    python_requires=">=3.11",
    packages=find_packages(include=["contentsvc_comfyui", "contentsvc_comfyui.*"]),
    package_data={"contentsvc_comfyui": ["py.typed", "workflows/*.json"]},
    install_requires=["contentsvc", "contentsvc-declared>=1", "httpx>=0.28", "pydantic>=2.12"],
    entry_points={"contentsvc.plugins": ["comfyui = contentsvc_comfyui:plugin"]},
)
