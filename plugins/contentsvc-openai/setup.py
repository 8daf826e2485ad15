from pathlib import Path

from setuptools import find_packages, setup

setup(
    name="contentsvc-openai",
    version="1.0.0",
    description="Provider for contentsvc: every endpoint that speaks OpenAI's HTTP API",
    long_description=(Path(__file__).parent / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    python_requires=">=3.11",
    packages=find_packages(include=["contentsvc_openai", "contentsvc_openai.*"]),
    package_data={"contentsvc_openai": ["py.typed"]},
    install_requires=[
        "contentsvc",
        "contentsvc-authoring",
        "openai>=3.52,<4",
        "httpx>=0.28",
        "pydantic>=2.14",
    ],
    entry_points={"contentsvc.plugins": ["openai = contentsvc_openai:plugin"]},
)
