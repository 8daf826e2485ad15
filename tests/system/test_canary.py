"""The suite fails where a provider's key is written, wherever that is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

from tests.system.processes import ROOT

LEAKY = ("tests/functional/leaky.py", "tests/system/leaky.py")
TOLD = "key is in"


def outcomes(folder: Path) -> dict[str, str]:
    """What became of each test that gives a key away: "" or how it failed."""
    options = ["-q", "-p", "no:cacheprovider", f"--junitxml={folder / 'report.xml'}"]
    subprocess.run(
        [sys.executable, "-m", "pytest", *options, f"--basetemp={folder / 'tests'}", *LEAKY],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    cases = ET.parse(folder / "report.xml").iter("testcase")
    return {
        f"{case.get('classname')}.{case.get('name')}": " ".join(str(end.text) for end in case)
        for case in cases
    }


def test_tests_that_write_a_key_fail_with_its_place(tmp_path: Path) -> None:
    found = outcomes(tmp_path)
    assert [name for name, failure in found.items() if not failure] == [
        "tests.functional.leaky.test_nowhere",
        "tests.system.leaky.test_of_a_service[nowhere]",
    ]
    assert [name for name, failure in found.items() if failure and TOLD not in failure] == []
    assert len(found) == 2 + 17
