"""What a driver may use while it tells whether its provider could be asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import httpx


class CheckContext(Protocol):
    """Given to a driver's ``check``: of a :class:`Context` what there is before anything is ordered.

    Every Context is one too.
    """

    @property
    def base_url(self) -> str:
        """The provider's address as the administrator set it; may be empty."""

    @property
    def secret(self) -> str | None:
        """The provider's API key in clear. Never log it, never put it in a message."""

    @property
    def settings(self) -> Mapping[str, str]:
        """The driver's ini settings, declared with :class:`PluginSetting`, defaults filled in."""

    @property
    def http(self) -> httpx.Client:
        """An HTTP client with the service's outbound policy. It never retries by itself."""

    @property
    def work_dir(self) -> Path:
        """An empty folder; removed by the service afterwards."""
