"""Where the product may connect to."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.platform.http.egress import (
    EgressRules,
    RequestTarget,
    default_port,
    is_ambiguous_url,
    is_public_address,
)

PRIVATE = [
    "127.0.0.1",
    "127.255.255.254",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.100.100.200",
    "192.0.2.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::127.0.0.1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "2001:db8::1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::",
    "2002:c0a8:101::",
    "2001:0:4136:e378:8000:63bf:80ff:fffe",
    "fec0::1",
    "not an address",
    "",
    "127.1",
    "0x7f000001",
]
PUBLIC = ["93.184.216.34", "1.1.1.1", "2606:4700:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101", "2002:101:101::"]


@pytest.mark.parametrize("address", PRIVATE)
def test_private_and_reserved_addresses_are_not_public(address: str) -> None:
    assert not is_public_address(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public_address(address)


@given(st.ip_addresses(v=4))
def test_wrapping_an_address_into_ipv6_does_not_change_what_it_is(address: ipaddress.IPv4Address) -> None:
    inside = int(address)
    wrapped = [(0xFFFF << 32) | inside, (0x64FF9B << 96) | inside, (0x2002 << 112) | (inside << 80)]
    assert {is_public_address(str(ipaddress.IPv6Address(number))) for number in wrapped} == {
        is_public_address(str(address))
    }


RULES = EgressRules(["video.twimg.com", "*.example.org", "api.example.net:8443", "[::1]:9000"], ["[::1]:9000"])


@pytest.mark.parametrize(
    "target",
    [
        RequestTarget("https", "video.twimg.com", 443),
        RequestTarget("http", "video.twimg.com", 80),
        RequestTarget("https", "a.example.org", 443),
        RequestTarget("https", "a.b.example.org", 443),
        RequestTarget("https", "api.example.net", 8443),
        RequestTarget("http", "::1", 9000),
    ],
)
def test_allowed_hosts_are_allowed(target: RequestTarget) -> None:
    assert RULES.find_violation(target) is None


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        (RequestTarget("https", "evil.example", 443), "not an allowed host"),
        (RequestTarget("https", "example.org", 443), "not an allowed host"),
        (RequestTarget("https", "notexample.org", 443), "not an allowed host"),
        (RequestTarget("https", "video.twimg.com.evil.example", 443), "not an allowed host"),
        (RequestTarget("https", "video.twimg.com", 8443), "only the default port"),
        (RequestTarget("https", "a.example.org", 22), "only the default port"),
        (RequestTarget("http", "video.twimg.com", 443), "only the default port"),
        (RequestTarget("https", "api.example.net", 443), "not an allowed host"),
        (RequestTarget("ftp", "video.twimg.com", 21), "not http or https"),
        (RequestTarget("file", "", 0), "not http or https"),
        (RequestTarget("https", "", 443), "an empty host"),
        (RequestTarget("http", "::1", 9001), "not an allowed host"),
    ],
)
def test_all_others_are_not_and_the_reason_is_said(target: RequestTarget, reason: str) -> None:
    assert reason in (RULES.find_violation(target) or "")


def test_trust_is_for_one_port_of_one_host() -> None:
    rules = EgressRules(["localhost:8000"], ["localhost:8000"])
    assert rules.is_trusted("LOCALHOST", 8000)
    assert not rules.is_trusted("localhost", 8001)
    assert not rules.is_trusted("127.0.0.1", 8000)
    assert rules.forbidden_addresses("localhost", 8000, ["127.0.0.1"]) == []
    assert rules.forbidden_addresses("localhost", 8001, ["127.0.0.1", "1.1.1.1"]) == ["127.0.0.1"]


def test_without_rules_nothing_is_allowed() -> None:
    assert EgressRules([]).find_violation(RequestTarget("https", "example.org", 443))


@pytest.mark.parametrize("wrong", ["*", "*.", "*.com", "*example.org", "*.*.org", "", "host:port", ":80"])
def test_a_rule_that_means_too_much_or_nothing_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="not a host rule"):
        EgressRules([wrong])


def test_trust_without_a_port_and_rules_as_one_text_are_refused() -> None:
    with pytest.raises(ValueError, match="needs a port"):
        EgressRules([], ["localhost"])
    with pytest.raises(TypeError):
        EgressRules("example.org")


@pytest.mark.parametrize(
    "url", ["https://a\\b", "https://a b", "https://a\tb", "https://a\nb", "https://a\x00b", "\x7f"]
)
def test_addresses_that_parsers_read_differently_are_ambiguous(url: str) -> None:
    assert is_ambiguous_url(url)
    assert not is_ambiguous_url("https://exämple.org/päth?q=ö#é")


def test_only_web_schemes_have_a_port() -> None:
    assert (default_port("http"), default_port("https"), default_port("gopher")) == (80, 443, 0)
