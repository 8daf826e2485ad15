"""The ini file and the overrides of a command line."""

from __future__ import annotations

import argparse
import configparser
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import plaster

if TYPE_CHECKING:
    from pyramid.config import Configurator

    from contentsvc.settings import Settings

EMBEDDED: Final = "embedded"
DATABASE_URL: Final = "database.url"
# What the ini's reader adds to [DEFAULT] by itself.
_READER_KEYS: Final = ("here", "__file__")
# Keys of [DEFAULT] that the command knows even where an ini doesn't mention them.
_DEFAULT_KEYS: Final = ("var_dir", "port")


class CommandError(Exception):
    """Tells the user in plain words why the command ends; ``status`` is its exit status."""

    def __init__(self, message: str, *, status: int = 2) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Ini:
    """An ini file, read, with the command line's overrides applied.

    ``app`` is ``[app:main]``, ``server`` is ``[server:main]``, ``defaults`` is
    ``[DEFAULT]``, all flat strings; ``overrides`` are the command line's own words.
    """

    path: Path
    app: Mapping[str, str]
    server: Mapping[str, str]
    defaults: Mapping[str, str]
    overrides: tuple[str, ...] = ()

    def settings(self) -> Settings:
        """The typed settings. Raises CommandError with every fault."""
        from contentsvc.settings import SettingsError, is_setting, load

        words = [key for key in map(_key_of, self.overrides) if "." in key and not is_setting(key)]
        faults = [f"{key}: unknown setting" for key in words]
        with plain_errors():
            try:
                settings = load({**self.defaults, **self.app}, os.environ)
            except SettingsError as error:
                raise SettingsError(error.faults + faults) from None
            if faults:
                raise SettingsError(faults)
            return settings

    def configure(self) -> Configurator:
        """The configured application, and logs as the ini wants them. Raises CommandError."""
        from contentsvc import configure
        from contentsvc.http.logs import configure_logging

        configure_logging(self.settings().log)
        with plain_errors():
            return configure(dict(self.defaults), **self.app)

    def with_database(self, url: str) -> Ini:
        """The same with another ``database.url``, also for child processes."""
        word = f"{DATABASE_URL}={url}"
        return replace(self, app={**self.app, DATABASE_URL: url}, overrides=(*self.overrides, word))


@contextmanager
def plain_errors() -> Iterator[None]:
    """Faulty settings end the command with their list, not with a traceback."""
    from contentsvc.settings import SettingsError

    try:
        yield
    except SettingsError as error:
        raise CommandError(str(error)) from None


def add_ini(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """The arguments ``INI [KEY=VALUE ...]`` that most subcommands take."""
    parser.add_argument("ini", metavar="INI", nargs=None if required else "?", help="the ini file")
    parser.add_argument("overrides", metavar="KEY=VALUE", nargs="*", help="overrides of its settings")


def read_ini(path: str, overrides: Sequence[str] = ()) -> Ini:
    """Read an ini file and apply ``KEY=VALUE`` words to it.

    An overridden setting's environment variable is dropped from this process: the command
    line wins, here and in child processes. Raises CommandError.
    """
    pairs = dict(_pair(word) for word in overrides)
    if not Path(path).is_file():
        raise CommandError(f"There is no file {path}.")
    given = {key: value for key, value in pairs.items() if "." not in key}
    try:
        loader = plaster.get_loader(path, protocols=["wsgi"])
        app = loader.get_settings("app:main", given)
        server = loader.get_settings("server:main", given)
    except (configparser.Error, plaster.exceptions.PlasterError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} can't be read: {error}") from None
    if not app:
        raise CommandError(f"{path} has no section [app:main].")
    defaults = {key: value for key, value in app.global_conf.items() if key not in _READER_KEYS}
    _refuse_unknown(path, given)
    for key in pairs:
        os.environ.pop("CONTENTSVC_" + key.upper().replace(".", "_"), None)
    dotted = {key: value for key, value in pairs.items() if "." in key}
    ours = {key: value for key, value in app.items() if key != "use"} | dotted
    port = {key: defaults[key] for key in ("host", "port") if key in defaults}
    return Ini(Path(path).resolve(), ours, {**port, **server}, defaults, tuple(overrides))


def _refuse_unknown(path: str, given: Mapping[str, str]) -> None:
    with Path(path).open(encoding="utf-8") as file:
        parser = configparser.RawConfigParser()
        parser.optionxform = str  # type: ignore[assignment,method-assign]
        parser.read_file(file)
    known = {*parser.defaults(), *_DEFAULT_KEYS}
    if strange := sorted(set(given) - known):
        raise CommandError(
            f"{', '.join(strange)}: no key of [DEFAULT] in {path} (it has {', '.join(sorted(known))}); "
            "a setting goes by its full name, such as accounts.invitation_days"
        )


def _pair(word: str) -> tuple[str, str]:
    key, equals, value = word.partition("=")
    if not equals or not key:
        raise CommandError(f"{word!r} is no override; write KEY=VALUE")
    return key.strip(), value.strip()


def _key_of(word: str) -> str:
    return _pair(word)[0]
