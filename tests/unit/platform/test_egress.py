"""Where the product may connect to."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.platform.egress import HostRules, Target, default_port, is_ambiguous, is_public

PRIVATE = [
    "127.0.0.1", "127.255.255.254", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "100.100.100.200", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1",
    "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "2001:db8::1", "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:c0a8:101::", "2001:0:4136:e378:8000:63bf:80ff:fffe", "fec0::1",
    "not an address", "", "127.1", "0x7f000001",
]  # fmt: skip
PUBLIC = ["93.184.216.34", "1.1.1.1", "2606:4700:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101", "2002:101:101::"]


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_that_are_nobodys_business_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public(address)


@given(st.ip_addresses(v=4))
def test_wrapping_an_address_into_ipv6_does_not_change_what_it_is(address: ipaddress.IPv4Address) -> None:
    inside = int(address)
    wrapped = [(0xFFFF << 32) | inside, (0x64FF9B << 96) | inside, (0x2002 << 112) | (inside << 80)]
    assert {is_public(str(ipaddress.IPv6Address(number))) for number in wrapped} == {is_public(str(address))}


RULES = HostRules(["video.twimg.com", "*.example.org", "api.example.net:8443", "[::1]:9000"], ["[::1]:9000"])


@pytest.mark.parametrize(
    "target",
    [
        Target("https", "video.twimg.com", 443),
        Target("http", "video.twimg.com", 80),
        Target("https", "a.example.org", 443),
        Target("https", "a.b.example.org", 443),
        Target("https", "api.example.net", 8443),
        Target("http", "::1", 9000),
    ],
)
def test_allowed_hosts_are_allowed(target: Target) -> None:
    assert RULES.objection(target) is None


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        (Target("https", "evil.example", 443), "not an allowed host"),
        (Target("https", "example.org", 443), "not an allowed host"),
        (Target("https", "notexample.org", 443), "not an allowed host"),
        (Target("https", "video.twimg.com.evil.example", 443), "not an allowed host"),
        (Target("https", "video.twimg.com", 8443), "only the default port"),
        (Target("https", "a.example.org", 22), "only the default port"),
        (Target("http", "video.twimg.com", 443), "only the default port"),
        (Target("https", "api.example.net", 443), "not an allowed host"),
        (Target("ftp", "video.twimg.com", 21), "not http or https"),
        (Target("file", "", 0), "not http or https"),
        (Target("https", "", 443), "an empty host"),
        (Target("http", "::1", 9001), "not an allowed host"),
    ],
)
def test_all_others_are_not_and_the_reason_is_said(target: Target, reason: str) -> None:
    assert reason in (RULES.objection(target) or "")


def test_trust_is_for_one_port_of_one_host() -> None:
    rules = HostRules(["localhost:8000"], ["localhost:8000"])
    assert rules.trusts("LOCALHOST", 8000)
    assert not rules.trusts("localhost", 8001)
    assert not rules.trusts("127.0.0.1", 8000)
    assert rules.refused_addresses("localhost", 8000, ["127.0.0.1"]) == []
    assert rules.refused_addresses("localhost", 8001, ["127.0.0.1", "1.1.1.1"]) == ["127.0.0.1"]


def test_no_rule_means_nothing_is_allowed() -> None:
    assert HostRules([]).objection(Target("https", "example.org", 443))


@pytest.mark.parametrize("wrong", ["*", "*.", "*.com", "*example.org", "*.*.org", "", "host:port", ":80"])
def test_a_rule_that_means_too_much_or_nothing_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="not a host rule"):
        HostRules([wrong])


def test_trust_without_a_port_and_rules_as_one_text_are_refused() -> None:
    with pytest.raises(ValueError, match="needs a port"):
        HostRules([], ["localhost"])
    with pytest.raises(TypeError):
        HostRules("example.org")


@pytest.mark.parametrize(
    "url", ["https://a\\b", "https://a b", "https://a\tb", "https://a\nb", "https://a\x00b", "\x7f"]
)
def test_addresses_that_parsers_read_differently_are_ambiguous(url: str) -> None:
    assert is_ambiguous(url)
    assert not is_ambiguous("https://exämple.org/päth?q=ö#é")


def test_only_web_schemes_have_a_port() -> None:
    assert (default_port("http"), default_port("https"), default_port("gopher")) == (80, 443, 0)
