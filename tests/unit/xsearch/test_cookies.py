"""Cookies from all four forms, for one site only, and a file that is never emptied by mistake."""

import json
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.platform.errors import BadInput
from found_footy.xsearch.session.cookie_file import CookieFile, select_cookies_to_restore
from found_footy.xsearch.session.cookies import Cookie, CookieJar, filter_site_cookies, has_session, parse_cookies

SITE = "https://x.com"


def row(name: str, value: str = "v", domain: str = ".x.com", **more: Any) -> dict[str, Any]:
    return {"name": name, "value": value, "domain": domain, "path": "/", "secure": True, **more}


def by_name(jar: CookieJar) -> dict[str, Cookie]:
    return {cookie.name: cookie for cookie in jar}


SESSION = [row("auth_token", "secret-a", httpOnly=True), row("ct0", "secret-c")]
NETSCAPE = "\n".join(
    [
        "# Netscape HTTP Cookie File",
        "#HttpOnly_.x.com\tTRUE\t/\tTRUE\t1893456000\tauth_token\tsecret-a",
        ".x.com\tTRUE\t/\tTRUE\t0\tct0\tsecret-c",
        ".example.org\tTRUE\t/\tFALSE\t0\tother\to",
        "",
    ]
)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(SESSION),
        json.dumps({"cookies": SESSION, "origins": []}),
        NETSCAPE,
        NETSCAPE.replace("\n", "\r\n"),
        "auth_token=secret-a; ct0=secret-c",
        "Cookie: auth_token=secret-a; ct0=secret-c; lang=en",
        "cookie: auth_token=secret-a; ct0=secret-c; lang=en",
        json.dumps({"auth_token": "secret-a", "ct0": "secret-c", "kdt": None}),
    ],
    ids=[
        "list",
        "storage state",
        "cookies.txt",
        "cookies.txt from Windows",
        "header",
        "header with its name",
        "header of HTTP/2",
        "values by name",
    ],
)
def test_every_form_gives_the_session(text: str) -> None:
    found = by_name(parse_cookies(text, SITE))
    assert (found["auth_token"].value, found["ct0"].value) == ("secret-a", "secret-c")
    assert found["auth_token"].http_only
    assert {cookie.domain for cookie in found.values()} == {".x.com"}


def test_a_cookie_file_keeps_expiry_and_drops_other_hosts() -> None:
    found = by_name(parse_cookies(NETSCAPE, SITE))
    assert (found["auth_token"].expires, found["ct0"].expires) == (1893456000, -1)
    assert "other" not in found


def test_cookies_of_the_former_host_name_are_accepted() -> None:
    old = [row("auth_token", "a", ".twitter.com"), row("ct0", "c", "twitter.com")]
    assert {cookie.domain for cookie in parse_cookies(json.dumps(old), SITE)} == {".x.com"}


@pytest.mark.parametrize("domain", ["notx.com", "x.com.evil.org", ".com", "twitter.com.evil.org", "example.org"])
def test_cookies_of_other_hosts_are_dropped(domain: str) -> None:
    jar = parse_cookies(json.dumps([*SESSION, row("spy", domain=domain)]), SITE)
    assert "spy" not in by_name(jar)


@pytest.mark.parametrize(
    ("given_value", "expected"),
    [
        ({"expires": 1893456000}, 1893456000),
        ({"expirationDate": 1893456000.5}, 1893456000.5),
        ({"expires": 1893456000000}, 1893456000),
        ({"expires": "1893456000"}, 1893456000),
        ({"expires": -1}, -1),
        ({"expires": 0}, -1),
        ({"expires": None}, -1),
        ({"expires": "next year"}, -1),
        ({"session": True}, -1),
    ],
)
def test_expiry_is_in_seconds_or_open(given_value: dict[str, Any], expected: float) -> None:
    jar = parse_cookies(json.dumps([*SESSION, row("twid", **given_value)]), SITE)
    assert by_name(jar)["twid"].expires == expected


@pytest.mark.parametrize(
    ("raw", "secure", "expected"),
    [
        ("no_restriction", True, "None"),
        ("None", True, "None"),
        ("None", False, None),
        ("lax", True, "Lax"),
        ("Strict", True, "Strict"),
        ("unspecified", True, None),
        (None, True, None),
        (7, True, None),
    ],
)
def test_same_site_is_a_word_the_browser_knows_or_nothing(raw: object, secure: bool, expected: str | None) -> None:
    jar = parse_cookies(json.dumps([*SESSION, row("twid", sameSite=raw) | {"secure": secure}]), SITE)
    assert by_name(jar)["twid"].same_site == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "nonsense",
        "{",
        "[1]",
        "{}",
        '{"cookies": 5}',
        '[{"name": "auth_token"}]',
        '[{"name": "auth_token", "value": 7, "domain": ".x.com"}]',
        json.dumps([row("auth_token", "")]),
        json.dumps([row("auth_token", "a")]),
        json.dumps([row("auth_token", "a", "evil.org"), row("ct0", "c", "evil.org")]),
        ".x.com\tTRUE\t/\tTRUE",
        "[" * 3000,
    ],
)
def test_what_holds_no_session_is_refused_without_quoting_it(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_cookies(text, SITE)
    assert "secret" not in str(refused.value)


@given(st.text(max_size=300))
def test_any_text_is_cookies_or_refused(text: str) -> None:
    with suppress(BadInput):
        assert has_session(parse_cookies(text, SITE))


def test_values_are_not_shown_in_representations() -> None:
    assert "secret" not in repr(parse_cookies(json.dumps(SESSION), SITE))


def test_a_site_of_another_name_takes_its_own_cookies_only() -> None:
    jar = (Cookie("a", "1", "127.0.0.1"), Cookie("b", "2", ".x.com"), Cookie("c", "3", ".twitter.com"))
    assert [cookie.name for cookie in filter_site_cookies(jar, "http://127.0.0.1:8080")] == ["a"]


class TestCookieFile:
    full: CookieJar = (Cookie("auth_token", "a", ".x.com"), Cookie("ct0", "c", ".x.com", expires=1893456000.0))

    def file(self, folder: Path) -> CookieFile:
        return CookieFile(folder / "cookies.json", SITE)

    def test_it_is_private_and_reads_back(self, tmp_path: Path) -> None:
        assert self.file(tmp_path).save(self.full)
        assert stat.S_IMODE((tmp_path / "cookies.json").stat().st_mode) == 0o600
        assert self.file(tmp_path).load() == self.full
        assert [path.name for path in tmp_path.iterdir()] == ["cookies.json"]

    @pytest.mark.parametrize("emptied", [(), full[:1], full[1:], (Cookie("auth_token", "", ".x.com"), full[1])])
    def test_cookies_without_a_session_never_replace_a_stored_session(self, tmp_path: Path, emptied: CookieJar) -> None:
        self.file(tmp_path).save(self.full)
        assert not self.file(tmp_path).save(emptied)
        assert self.file(tmp_path).load() == self.full

    def test_only_the_sites_cookies_are_stored(self, tmp_path: Path) -> None:
        self.file(tmp_path).save((*self.full, Cookie("spy", "s", "example.org")))
        assert "spy" not in (tmp_path / "cookies.json").read_text()

    def test_no_file_is_no_cookies(self, tmp_path: Path) -> None:
        assert self.file(tmp_path).load() == ()

    @pytest.mark.parametrize("content", ["{", "[1]", '[{"name":"a"}]', '[{"nme":"a","value":"secret"}]'])
    def test_a_broken_file_is_named_but_not_quoted(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "cookies.json").write_text(content)
        with pytest.raises(BadInput, match=r"cookies\.json") as refused:
            self.file(tmp_path).load()
        assert "secret" not in str(refused.value)


def cookie(name: str, value: str) -> Cookie:
    return Cookie(name, value, ".x.com")


@pytest.mark.parametrize(
    ("stored", "in_profile", "restored"),
    [
        ("auth_token=a ct0=c", "", "auth_token=a ct0=c"),
        ("auth_token=a ct0=c gt=g", "auth_token=a ct0=new", "gt=g"),
        ("auth_token=a ct0=c", "auth_token=somebody-else ct0=x", ""),
        ("auth_token=a ct0=c", "guest_id=1", "auth_token=a ct0=c"),
        ("", "auth_token=a ct0=c", ""),
    ],
)
def test_lost_cookies_of_a_profile_are_restored_unless_somebody_logged_in_again(
    stored: str, in_profile: str, restored: str
) -> None:
    def jar(text: str) -> CookieJar:
        return tuple(cookie(*pair.split("=")) for pair in text.split())

    assert select_cookies_to_restore(jar(stored), jar(in_profile)) == jar(restored)
