"""The five minutes of the README: its commands, pasted into a shell, do what it says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import httpx
import pytest
from PIL import Image

from tests.conftest import SAMPLE_PHOTO
from tests.system.processes import ROOT
from tests.unit.pages import README, blocks
from tools.demo.service import RunningService, own_service

ADDRESS = "http://127.0.0.1:6543"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with own_service(ROOT / "development.ini", folder=tmp_path_factory.mktemp("tour")) as running:
        yield running


@pytest.fixture(scope="module")
def toured(service: RunningService) -> Path:
    """The folder in which a newcomer has pasted all commands, one after the other."""
    folder = service.var_dir.parent
    (service.var_dir / "admin-password").write_text(service.admin_password + "\n")
    photo = folder / SAMPLE_PHOTO.relative_to(ROOT)
    photo.parent.mkdir(parents=True)
    shutil.copy(SAMPLE_PHOTO, photo)
    script = "\n".join(["set -eu", *blocks(README, "sh")]).replace(ADDRESS, service.base_url)
    subprocess.run(["sh", "-c", script], cwd=folder, env=_environment(folder), check=True, timeout=120)
    return folder


def _environment(folder: Path) -> dict[str, str]:
    """python3 is ours; curl is the machine's, or a stand-in where it has none."""
    programs = folder / "programs"
    programs.mkdir()
    (programs / "python3").symlink_to(sys.executable)
    if shutil.which("curl") is None:
        stand_in = programs / "curl"
        stand_in.write_text(f'#!/bin/sh\nexec {sys.executable} {Path(__file__).with_name("curl.py")} "$@"\n')
        stand_in.chmod(0o755)
    return {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}


def test_the_tour_ends_with_a_picture(toured: Path) -> None:
    with Image.open(toured / "picture.jpg") as picture:
        assert picture.size == (1080, 1080)


def test_the_tour_s_team_has_paid_for_three_pictures(toured: Path, service: RunningService) -> None:
    reply = httpx.post(
        f"{service.base_url}/api/auth/login/",
        json={"username": "olivia", "password": "a long password"},
        trust_env=False,
    )
    headers = {"Authorization": f"Token {reply.json()['token']}"}
    ledgers = httpx.get(f"{service.base_url}/api/billing/ledgers/", headers=headers, trust_env=False)
    rows = [(row["ledger_type"], Decimal(row["amount"])) for row in ledgers.json()["results"]]
    assert sorted(kind for kind, _ in rows) == ["ADJUSTMENT", *["CHARGE"] * 3, *["RESERVE"] * 3]
    assert sum(amount for kind, amount in rows if kind != "RESERVE") == Decimal(20) - 3 * Decimal("0.30")
