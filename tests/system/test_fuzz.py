"""Whatever is sent to whatever operation: no 5xx, and no reply that the OpenAPI document doesn't have."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.system.fuzzing import Fuzzed, fuzzed

# Each shows other faults: borders of every field; whatever fits a schema, or just doesn't; chains of calls.
PHASES = ("coverage", "fuzzing", "stateful")
SECONDS = 60
# An hour in all: the borders are all seen in three minutes.
NIGHTLY_SECONDS = 1800


@pytest.fixture
def service(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuzzed]:
    with fuzzed(postgres_url, tmp_path_factory.mktemp("fuzz")) as made:
        yield made


@pytest.mark.early
@pytest.mark.parametrize("phase", PHASES)
def test_a_fuzzer_finds_no_fault(service: Fuzzed, phase: str) -> None:
    found = service.run("--phases", phase, "--max-time", str(SECONDS), "--max-examples", "10", "--seed", "1")
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.nightly
@pytest.mark.early
@pytest.mark.parametrize("phase", PHASES)
def test_a_fuzzer_finds_no_fault_in_an_hour(service: Fuzzed, phase: str) -> None:
    found = service.run("--phases", phase, "--max-time", str(NIGHTLY_SECONDS))
    assert found.returncode == 0, found.stdout + found.stderr
