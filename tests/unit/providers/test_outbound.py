"""Which addresses the outbound policy lets through."""

from __future__ import annotations

import configparser
from ipaddress import ip_network
from pathlib import Path

import httpx
import pytest
from pydantic import ValidationError

from contentsvc.providers.outbound import AddressRefused, OutboundPolicy
from contentsvc.settings import ProviderSettings

ROOT = Path(__file__).parents[3]

PUBLIC = ["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450:4001::1"]
FORBIDDEN = [
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.1.1.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::7f00:1",
    "100::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:10::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:a9fe:a9fe::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%1",
    "fec0::1",
    "ff02::1",
    "not an address",
    "",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_may_be_called(address: str) -> None:
    assert OutboundPolicy().allows(address)


@pytest.mark.parametrize("address", FORBIDDEN)
def test_any_other_may_not(address: str) -> None:
    assert not OutboundPolicy().allows(address)


def test_a_network_of_the_ini_may_be_called_and_its_neighbours_not() -> None:
    policy = OutboundPolicy((ip_network("10.1.0.0/16"), ip_network("::1")))
    assert policy.allows("10.1.255.1")
    assert policy.allows("::1")
    assert not policy.allows("10.2.0.1")
    assert not policy.allows("127.0.0.1")


def test_an_ipv4_network_does_not_open_its_ipv6_disguises() -> None:
    assert not OutboundPolicy((ip_network("127.0.0.0/8"),)).allows("::ffff:127.0.0.1")


def test_a_name_with_one_forbidden_address_is_refused() -> None:
    policy = OutboundPolicy(resolve=lambda _host, _port: ["8.8.8.8", "10.0.0.1"])
    with pytest.raises(AddressRefused):
        policy.addresses("mixed.test", 443)


def test_a_name_without_an_address_is_refused() -> None:
    with pytest.raises(AddressRefused):
        OutboundPolicy(resolve=lambda _host, _port: []).addresses("none.test", 443)


def test_a_name_no_resolver_can_ask_for_is_an_unknown_one() -> None:
    with pytest.raises(OSError, match="not a host name"):
        OutboundPolicy().addresses(f"{'x' * 70}.test", 443)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://8.8.8.8/",
        "file:///etc/passwd",
        "gopher://8.8.8.8/",
        "//8.8.8.8/",
        "http://",
        "http://user@8.8.8.8/",
        "http://user:word@8.8.8.8/",
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.0.0.1/",
        "http://0177.0.0.1/",
        "http://0/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1",
    ],
)
def test_what_is_written_out_is_refused_before_anything_is_asked(url: str) -> None:
    assert not OutboundPolicy().may_name(url)


@pytest.mark.parametrize(
    "url", ["https://api.acme.test/v1", "http://8.8.8.8:8080/", "https://[2606:4700::1]/"]
)
def test_other_urls_can_be_named(url: str) -> None:
    assert OutboundPolicy().may_name(url)


def test_a_refusal_names_no_address() -> None:
    policy = OutboundPolicy(resolve=lambda _host, _port: ["10.20.30.40"])
    with pytest.raises(AddressRefused) as caught:
        policy.addresses("inner.test", 443)
    assert "10.20" not in str(caught.value)
    with pytest.raises(AddressRefused) as caught:
        policy.check(httpx.URL("http://10.20.30.40/"))
    assert "10.20" not in str(caught.value)


def test_the_ini_names_networks_and_single_addresses() -> None:
    settings = ProviderSettings.model_validate({"allowed_networks": "10.1.0.0/16 ::1, 192.168.1.20"})
    policy = OutboundPolicy(settings.allowed_networks)
    assert [policy.allows(address) for address in ("10.1.2.3", "::1", "192.168.1.20", "192.168.1.21")] == [
        True,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("words", ["10.1.2.3/8", "comfyui.local", "10.0.0.0/33", "localhost"])
def test_what_is_no_network_stops_the_start(words: str) -> None:
    with pytest.raises(ValidationError):
        ProviderSettings.model_validate({"allowed_networks": words})


def test_nothing_private_is_allowed_unless_it_is_named() -> None:
    assert ProviderSettings().allowed_networks == ()


def test_development_allows_this_machine_and_private_networks_but_no_metadata_service() -> None:
    ini = configparser.ConfigParser(interpolation=None)
    ini.read(ROOT / "development.ini", encoding="utf-8")
    words = ini["app:main"]["providers.allowed_networks"]
    policy = OutboundPolicy(ProviderSettings.model_validate({"allowed_networks": words}).allowed_networks)
    allowed = ("127.0.0.1", "::1", "10.1.2.3", "172.17.0.1", "192.168.1.1", "fd00::1")
    assert all(policy.allows(address) for address in allowed)
    assert not any(
        policy.allows(address) for address in ("169.254.169.254", "fe80::1", "0.0.0.0", "100.64.0.1")
    )
