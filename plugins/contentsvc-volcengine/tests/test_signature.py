from datetime import UTC, datetime

from contentsvc_volcengine.signature import Signer

AT = datetime(2026, 11, 20, 11, tzinfo=UTC)
HOST = "ark.cn-beijing.volcengineapi.com"
SECRET = "c2VjcmV0ZXhhbXBsZQ=="


def test_signs_by_the_recipe_of_the_providers_own_sdk() -> None:
    signer = Signer("AKLTexample", SECRET, "cn-beijing")
    query = {"Version": "2024-01-01", "Action": "GetAsset"}
    headers = signer.headers(HOST, query, b'{"Id": "asset-1"}', AT)
    assert headers["X-Date"] == "20261120T110000Z"
    assert headers["Authorization"] == (
        "HMAC-SHA256 Credential=AKLTexample/20261120/cn-beijing/ark/request, "
        "SignedHeaders=content-type;host;x-content-sha256;x-date, "
        "Signature=ace8bdf19ed0b6db86aca264155fa4ed2e3150de5b0c2f298fe88a2d7d3fa0a5"
    )


def test_the_secret_key_is_not_in_the_representation() -> None:
    assert SECRET not in repr(Signer("AKLTexample", SECRET, "cn-beijing"))
