"""Signed questions to Volcengine's control plane, which takes no API key.

The scheme is the one of the provider's own SDK (volcenginesdkcore, signature version 4).
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import quote

SERVICE = "ark"
_SIGNED = "content-type;host;x-content-sha256;x-date"


@dataclass(frozen=True, slots=True)
class Signer:
    """An access key, for one region."""

    access_key_id: str
    secret_access_key: str = field(repr=False)
    region: str

    def headers(self, host: str, query: dict[str, str], body: bytes, at: datetime) -> dict[str, str]:
        """The headers of a POST of JSON to ``/``; ``at`` is the time, in UTC."""
        stamp = at.strftime("%Y%m%dT%H%M%SZ")
        digest = hashlib.sha256(body).hexdigest()
        signed = {
            "content-type": "application/json",
            "host": host,
            "x-content-sha256": digest,
            "x-date": stamp,
        }
        scope = f"{stamp[:8]}/{self.region}/{SERVICE}/request"
        canonical = "\n".join(
            [
                "POST",
                "/",
                _query(query),
                *(f"{name}:{signed[name]}" for name in sorted(signed)),
                "",
                _SIGNED,
                digest,
            ]
        )
        to_sign = "\n".join(["HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        signature = hmac.new(self._key(stamp[:8]), to_sign.encode(), hashlib.sha256).hexdigest()
        credential = f"{self.access_key_id}/{scope}"
        return {
            "Content-Type": signed["content-type"],
            "Host": host,
            "X-Content-Sha256": digest,
            "X-Date": stamp,
            "Authorization": (
                f"HMAC-SHA256 Credential={credential}, SignedHeaders={_SIGNED}, Signature={signature}"
            ),
        }

    def _key(self, day: str) -> bytes:
        key = self.secret_access_key.encode()
        for part in (day, self.region, SERVICE, "request"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        return key


def _query(query: dict[str, str]) -> str:
    pairs = sorted((quote(name, safe="-_.~"), quote(value, safe="-_.~")) for name, value in query.items())
    return "&".join(f"{name}={value}" for name, value in pairs)
