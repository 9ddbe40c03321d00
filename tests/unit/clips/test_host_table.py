"""Addresses of clip hosts are recognized by their whole host, and pages are read without taking another's clip."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.clips.fetch.hosts.pages import find_page_video, read_file_list, read_manifest, read_streamable
from found_footy.clips.fetch.hosts.table import HOST_RULES, asked_hosts, file_hosts, find_host_link, generic_rules


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ("https://streamain.com/abcdefghijklmno/watch", "https://streamain.com/embed/abcdefghijklmno"),
        ("https://streama.in/en/abcdefghijklmno/watch", "https://streamain.com/embed/abcdefghijklmno"),
        ("https://streamin.link/v/0a1b2c3d", "https://streamin.link/v/0a1b2c3d"),
        ("https://streamff.pro/v/x1y2", "https://ffedge.streamff.com/share/x1y2"),
        ("https://dubz.link/v/x1y2", "https://cdn.squeelab.com/guest/videos/x1y2.mp4"),
        ("https://dubz.co/c/x1y2", "https://cdn.makevos.com/videos/x1y2.mp4"),
        ("https://dropr.co/v/x1y2/", "https://dropr.co/v/x1y2/"),
        ("https://streamable.com/e/x1y2", "https://api.streamable.com/videos/x1y2"),
        ("https://v.redd.it/zwmni00cscmh1", "https://v.redd.it/zwmni00cscmh1/DASHPlaylist.mpd"),
    ],
)
def test_an_address_leads_to_what_is_asked(address: str, asked: str) -> None:
    link = find_host_link(address, HOST_RULES)
    assert link is not None
    assert link.asked == asked


@pytest.mark.parametrize(
    "address",
    [
        "https://new-streamff.com.example/v/x1y2",
        "https://streamff.com.example/v/x1y2",
        "https://streamff.com@example.org/v/x1y2",
        "https://user@streamff.com/v/x1y2",
        "https://streamff.com:8443/v/x1y2",
        "http://streamff.com/v/x1y2",
        "https://streamff.com/v/../x",
        "https://streamff.com/v/" + "x" * 41,
        "https://www.youtube.com/watch?v=abc",
        "https://[broken/v/x",
        "",
    ],
)
def test_another_address_leads_nowhere(address: str) -> None:
    assert find_host_link(address, HOST_RULES) is None


@given(st.text(max_size=80))
def test_any_text_is_an_address_or_none(text: str) -> None:
    link = find_host_link(text, (*HOST_RULES, *generic_rules(["clips.example"])))
    assert link is None or link.asked.startswith("https://")


def test_a_host_of_the_owner_is_read_by_the_generic_rule() -> None:
    rules = generic_rules(["clips.example"])
    link = find_host_link("https://clips.example/watch/12", rules)
    assert link is not None
    assert link.asked == "https://clips.example/watch/12"
    assert (asked_hosts(rules), file_hosts(rules)) == (("clips.example",), ("clips.example",))


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ('<meta property="og:video" content="https://h.co/a.mp4#t=1">', "https://h.co/a.mp4"),
        ('<meta name="twitter:player:stream" content="/a.mp4">', "https://h.co/a.mp4"),
        (
            '<meta property="og:video" content="https://h.co/v/1"><video><source src="a.mp4"></video>',
            "https://h.co/v/a.mp4",
        ),
        ('<div data-preview-src="/other.mp4"></div><video data-link="/a.mp4">', "https://h.co/a.mp4"),
        ('<a href="/other.mp4">other</a>', None),
        ("<p>processing</p>", None),
        ("<<<video src='", None),
    ],
)
def test_the_file_of_a_page_is_the_one_that_it_shows(page: str, expected: str | None) -> None:
    assert find_page_video(page, "https://h.co/v/1") == expected


@given(st.text(max_size=200))
def test_any_page_is_read(page: str) -> None:
    found = find_page_video(page, "https://h.co/v/1")
    assert found is None or found.endswith(".mp4")


def test_answers_that_are_not_understood_are_none() -> None:
    assert read_file_list({"error": "x"}) is None
    assert read_file_list([]) == ()
    assert read_streamable([]) is None
    assert read_streamable({"status": 1}) == (None, True)
    assert read_streamable({"status": 3}) == (None, False)
    assert read_streamable({"status": 2, "files": {"mp4": {"url": "//cdn.streamable.com/a.mp4"}}}) == (
        "https://cdn.streamable.com/a.mp4",
        False,
    )
    assert read_manifest(b"<html>", "https://v.redd.it/x") is None
    assert read_manifest(b"<!DOCTYPE x><MPD/>", "https://v.redd.it/x") is None
