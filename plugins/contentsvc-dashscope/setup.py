from pathlib import Path

from setuptools import find_packages, setup

setup(
    name="contentsvc-dashscope",
    version="1.0.0",
    description="Provider for contentsvc: Alibaba Model Studio with Qwen, Qwen-Image, Wan and CosyVoice",
    long_description=(Path(__file__).parent / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    python_requires=">=3.11",
    packages=find_packages(include=["contentsvc_dashscope", "contentsvc_dashscope.*"]),
    package_data={"contentsvc_dashscope": ["py.typed"]},
    install_requires=["contentsvc", "contentsvc-authoring>=1", "httpx>=0.28", "pydantic>=2.14"],
    entry_points={"contentsvc.plugins": ["dashscope = contentsvc_dashscope:plugin"]},
)
