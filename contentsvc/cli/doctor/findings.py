"""What the doctor finds, and how a line of it looks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad it is: ``warn`` may be meant so, ``fail`` keeps something from working."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; ``advice`` says what to do next."""

    level: Level
    name: str
    text: str
    advice: str = ""

    def __str__(self) -> str:
        line = f"{self.level:<5} {self.name:<12} {self.text}"
        return f"{line}\n{'':<18} -> {self.advice}" if self.advice else line


def ok(name: str, text: str) -> Finding:
    """All is well here."""
    return Finding(Level.OK, name, text)


def warn(name: str, text: str, advice: str) -> Finding:
    """Worth a look."""
    return Finding(Level.WARN, name, text, advice)


def fail(name: str, text: str, advice: str) -> Finding:
    """To be mended."""
    return Finding(Level.FAIL, name, text, advice)
