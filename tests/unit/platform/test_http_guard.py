"""The safe HTTP client against addresses and redirects that want it to go where it must not."""

import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

import pytest

from found_footy.platform.errors import Refused, Unavailable, Unreachable
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.http.pinned_transport import interleave_address_families


class Site(Protocol):
    port: int
    asked: list[Any]
    place: str

    def url(self, path: str = "/") -> str: ...
    def says(self, path: str, body: bytes = b"", status: int = 200, **headers: str) -> None: ...


Make = Callable[..., SafeHttpClient]


@pytest.fixture
async def make() -> AsyncIterator[Make]:
    clients: list[SafeHttpClient] = []

    def client(**options: Any) -> SafeHttpClient:
        clients.append(SafeHttpClient(**({"system": "web", "allowed_hosts": []} | options)))
        return clients[-1]

    yield client
    for each in clients:
        await each.aclose()


def answers(*addresses: str) -> Any:
    async def resolve(_host: str, _port: int) -> list[str]:
        return list(addresses)

    return resolve


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "::1",
        "::ffff:127.0.0.1",
        "169.254.169.254",
        "::ffff:169.254.169.254",
        "10.1.2.3",
        "0.0.0.0",
        "fd00:ec2::254",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
    ],
)
async def test_an_allowed_name_with_a_private_address_is_refused(make: Make, address: str) -> None:
    client = make(allowed_hosts=["video.example.org"], resolve=answers(address))
    with pytest.raises(Refused, match="not public"):
        await client.request("GET", "http://video.example.org/")


@pytest.mark.parametrize("path", ["/a b", "/a\tb", "/a\\b", "/\x7f", "/a\nb", "\\@other.example/"])
async def test_an_address_that_parsers_read_differently_is_refused(make: Make, site: Site, path: str) -> None:
    """Asked for, or redirected to. The site would answer each of them."""
    client = make(allowed_hosts=[site.place], trusted_private=[site.place])
    with pytest.raises(Refused, match="blanks, control characters or backslashes"):
        await client.request("GET", f"http://{site.place}{path}")
    assert site.asked == []
    if "\n" not in path:
        site.says("/here", status=302, Location=path)
        with pytest.raises(Refused, match="blanks, control characters or backslashes"):
            await client.request("GET", site.url("/here"))
        assert [asked.path for asked in site.asked] == ["/here"]


async def test_one_private_address_among_public_ones_refuses_the_name(make: Make) -> None:
    client = make(allowed_hosts=["video.example.org"], resolve=answers("93.184.216.34", "127.0.0.1"))
    with pytest.raises(Refused, match=r"has the address 127\.0\.0\.1"):
        await client.request("GET", "http://video.example.org/")


async def test_a_name_is_resolved_once_and_the_checked_address_is_connected_to(make: Make, site: Site) -> None:
    """A name that answers differently the second time gains nothing: there is no second time."""
    asked: list[str] = []

    async def rebinding(host: str, _port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["203.0.113.1"]

    place = f"service.test:{site.port}"
    site.says("/x", b"ok")
    client = make(allowed_hosts=[place], trusted_private=[place], resolve=rebinding)
    assert (await client.request("GET", f"http://{place}/x")).body == b"ok"
    assert asked == ["service.test"]
    assert site.asked[0].headers["host"] == place


async def test_the_next_address_is_tried_when_one_refuses(make: Make, site: Site) -> None:
    place = f"service.test:{site.port}"
    site.says("/x", b"ok")
    client = make(allowed_hosts=[place], trusted_private=[place], resolve=answers("127.9.9.9", "127.0.0.1"))
    assert (await client.request("GET", f"http://{place}/x")).body == b"ok"


@contextmanager
def silent(address: str, port: int) -> Iterator[None]:
    """An address that drops what it is sent, as a dead route does: its queue of connections is full, nobody accepts."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind((address, port))
        listener.listen(0)
        for _ in range(20):
            one = stack.enter_context(socket.socket())
            one.settimeout(0.3)
            try:
                one.connect((address, port))
            except TimeoutError:
                yield
                return
        pytest.fail("this machine accepts connections beyond a full queue")


async def test_the_next_address_is_tried_when_one_is_silent(make: Make, site: Site, tmp_path: Path) -> None:
    place = f"service.test:{site.port}"
    site.says("/x", b"ok")
    options: dict[str, Any] = {"allowed_hosts": [place], "trusted_private": [place]}
    with silent("127.0.0.2", site.port):
        client = make(timeout=timedelta(seconds=30), resolve=answers("127.0.0.2", "127.0.0.1"), **options)
        assert (await client.request("GET", f"http://{place}/x")).body == b"ok"
        other = make(resolve=answers("127.0.0.2", "127.0.0.1"), **options)
        target = tmp_path / "file"
        await other.download(f"http://{place}/x", target, max_bytes=10, deadline=timedelta(seconds=30))
        assert target.read_bytes() == b"ok"


async def test_silent_addresses_do_not_outlast_the_deadline(make: Make, site: Site) -> None:
    place = f"service.test:{site.port}"
    many = answers(*["127.0.0.2"] * 40)
    client = make(allowed_hosts=[place], trusted_private=[place], timeout=timedelta(seconds=1), resolve=many)
    with silent("127.0.0.2", site.port), pytest.raises(Unavailable, match="took longer than 1 s"):
        await client.request("GET", f"http://{place}/")


@pytest.mark.parametrize(
    ("resolved", "tried"),
    [
        ([], []),
        (["1.1.1.1", "1.0.0.1"], ["1.1.1.1", "1.0.0.1"]),
        (["2606::1", "2606::2", "2606::3", "1.1.1.1"], ["2606::1", "1.1.1.1", "2606::2", "2606::3"]),
        (["1.1.1.1", "1.0.0.1", "2606::1"], ["1.1.1.1", "2606::1", "1.0.0.1"]),
    ],
)
def test_both_kinds_of_address_are_tried_by_turns(resolved: list[str], tried: list[str]) -> None:
    assert interleave_address_families(resolved) == tried


async def test_a_name_without_any_address_is_unavailable(make: Make) -> None:
    with pytest.raises(Unavailable, match="has no address"):
        await make(allowed_hosts=["video.example.org"], resolve=answers()).request("GET", "http://video.example.org/")


async def test_a_private_address_is_refused_although_its_host_is_allowed(make: Make, site: Site) -> None:
    site.says("/x", b"inside")
    with pytest.raises(Refused, match="not public"):
        await make(allowed_hosts=[site.place]).request("GET", site.url("/x"))
    assert site.asked == []


@pytest.mark.parametrize(
    "url",
    [
        "https://video.example.org@evil.example/",
        "https://evil.example/@video.example.org",
        "https://evil.example#@video.example.org/",
        "https://evil.example?@video.example.org/",
        "https://evil.example\\@video.example.org/",
        "https://video.example.org\\.evil.example/",
        "https://video.example.org.evil.example/",
        "https://evil.example%2f@video.example.org/",
        "https://user@video.example.org/",
        "https://user:password@video.example.org/",
        "https://video.example.org:22/",
        "https://video.example.org:80@evil.example/",
        "https://video.example.org\t.evil.example/",
        "https://video.example.org\r\nHost: evil.example/",
        "https://ⓔvil.example/",
        "file:///etc/passwd",
        "ftp://video.example.org/",
        "gopher://video.example.org/",
        "//video.example.org/",
        "video.example.org/",
        "https:///path",
        "http://127.0.0.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://localhost/",
        "https://",
        "",
    ],
)
async def test_urls_that_point_elsewhere_are_refused(make: Make, url: str) -> None:
    client = make(allowed_hosts=["video.example.org"], resolve=answers("127.0.0.1"))
    with pytest.raises(Refused):
        await client.request("GET", url)


@pytest.mark.parametrize("url", ["HTTP://Service.Test.:{port}/x", "http://service.test:{port}/x"])
async def test_case_and_a_final_dot_do_not_matter(make: Make, site: Site, url: str) -> None:
    place = f"service.test:{site.port}"
    site.says("/x", b"ok")
    client = make(allowed_hosts=[place], trusted_private=[place], resolve=answers("127.0.0.1"))
    assert (await client.request("GET", url.format(port=site.port))).body == b"ok"


async def test_redirects_are_followed_within_what_is_allowed(make: Make, site: Site) -> None:
    site.says("/1", status=302, Location="/2?x=1")
    site.says("/2", status=301, Location=site.url("/3"))
    site.says("/3", b"there")
    client = make(allowed_hosts=[site.place], trusted_private=[site.place], headers={"x-key": "secret"})
    assert (await client.request("GET", site.url("/1"))).body == b"there"
    assert [asked.path for asked in site.asked] == ["/1", "/2?x=1", "/3"]
    assert site.asked[2].headers["x-key"] == "secret"


async def test_a_fourth_redirect_is_too_many(make: Make, site: Site) -> None:
    site.says("/round", status=302, Location="/round")
    client = make(allowed_hosts=[site.place], trusted_private=[site.place])
    with pytest.raises(Refused, match="more than 3 redirects"):
        await client.request("GET", site.url("/round"))
    assert len(site.asked) == 4


@pytest.mark.parametrize(
    "location",
    [
        "http://evil.example/",
        "http://127.0.0.1:1/",
        "http://169.254.169.254/latest/meta-data",
        "file:///etc/passwd",
        "//evil.example/",
        "http://user@{place}/",
        "http://{place}\\@evil.example/",
        "https://[",
        "gopher://{place}/",
    ],
)
async def test_a_redirect_to_what_is_not_allowed_is_refused(make: Make, site: Site, location: str) -> None:
    site.says("/x", status=302, Location=location.format(place=site.place))
    client = make(allowed_hosts=[site.place], trusted_private=[site.place])
    with pytest.raises(Refused):
        await client.request("GET", site.url("/x"))


async def test_a_redirect_to_an_allowed_name_with_a_private_address_is_refused(make: Make, site: Site) -> None:
    site.says("/x", status=302, Location="http://cdn.example.org/")

    async def resolve(host: str, _port: int) -> list[str]:
        return ["169.254.169.254"] if host == "cdn.example.org" else ["127.0.0.1"]

    client = make(allowed_hosts=[site.place, "cdn.example.org"], trusted_private=[site.place], resolve=resolve)
    with pytest.raises(Refused, match=r"169\.254\.169\.254, which is not public"):
        await client.request("GET", site.url("/x"))


async def test_no_public_host_redirects_into_the_private_network(
    make: Make, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trusted service may be asked by us, not by whoever answers us with its address."""
    site.says("/x", status=302, Location="http://inner.test/secret")
    client = make(
        allowed_hosts=[f"outer.test:{site.port}", "inner.test"],
        trusted_private=["inner.test:80"],
        resolve=answers("127.0.0.1"),
    )
    # The outsider is played by this machine.
    monkeypatch.setattr(client._rules, "forbidden_addresses", lambda *_: [])
    with pytest.raises(Refused, match="into the private network"):
        await client.request("GET", f"http://outer.test:{site.port}/x")


async def test_credentials_are_not_forwarded_to_another_host(make: Make, site: Site) -> None:
    first, second = f"first.test:{site.port}", f"second.test:{site.port}"
    site.says("/x", status=302, Location=f"http://{second}/y")
    site.says("/y", b"ok")
    both = [first, second]
    client = make(
        allowed_hosts=both, trusted_private=both, resolve=answers("127.0.0.1"), headers={"Authorization": "Bearer k"}
    )
    await client.request("GET", f"http://{first}/x", headers={"X-Api-Key": "k", "Accept": "text/plain"})
    assert {"authorization", "x-api-key"} <= site.asked[0].headers.keys()
    assert not {"authorization", "x-api-key"} & site.asked[1].headers.keys()
    assert site.asked[1].headers["accept"] == "text/plain"
    assert site.asked[1].headers["host"] == second


@pytest.mark.parametrize(("status", "method", "body"), [(303, "GET", b""), (302, "GET", b""), (307, "POST", b"[1]")])
async def test_the_status_says_whether_a_body_is_sent_again(
    make: Make, site: Site, status: int, method: str, body: bytes
) -> None:
    site.says("/x", status=status, Location="/y")
    site.says("/y", b"ok")
    await make(allowed_hosts=[site.place], trusted_private=[site.place]).request("POST", site.url("/x"), json=[1])
    assert (site.asked[1].method, site.asked[1].body) == (method, body)


@pytest.mark.parametrize("body", [{"json": {"token": "k"}}, {"content": b"a picture"}])
async def test_a_body_is_not_sent_again_to_another_host(make: Make, site: Site, body: dict[str, Any]) -> None:
    first, second = f"first.test:{site.port}", f"second.test:{site.port}"
    site.says("/x", status=307, Location=f"http://{second}/y")
    client = make(allowed_hosts=[first, second], trusted_private=[first, second], resolve=answers("127.0.0.1"))
    with pytest.raises(Refused, match="body to"):
        await client.request("POST", f"http://{first}/x", **body)


async def test_nothing_was_sent_only_if_the_first_connection_failed(make: Make, site: Site) -> None:
    closed = "127.0.0.1:1"
    site.says("/x", status=303, Location=f"http://{closed}/")
    client = make(allowed_hosts=[site.place, closed], trusted_private=[site.place, closed])
    with pytest.raises(Unreachable):
        await client.request("POST", f"http://{closed}/", json={})
    with pytest.raises(Unavailable) as behind_a_redirect:
        await client.request("POST", site.url("/x"), json={})
    assert not isinstance(behind_a_redirect.value, Unreachable)
    assert [asked.path for asked in site.asked] == ["/x"]


async def test_a_redirect_without_a_location_is_an_answer(make: Make, site: Site) -> None:
    site.says("/x", b"see elsewhere", 302)
    client = make(allowed_hosts=[site.place], trusted_private=[site.place])
    assert (await client.request("GET", site.url("/x"))).status == 302
