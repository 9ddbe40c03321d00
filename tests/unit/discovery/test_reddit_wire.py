"""Hostile answers in the place of Reddit's are refused with their kind, and never taken for an empty list."""

import json
from typing import Any

import pytest

from found_footy.discovery.sources.errors import Blocked
from found_footy.discovery.sources.reddit.wire import parse_feed, parse_listing, require_posts
from found_footy.platform.errors import Malformed
from found_footy.platform.http.client import HttpResponse

ATOM = "http://www.w3.org/2005/Atom"


def feed_of(*entries: str, encoding: str = "utf-8") -> HttpResponse:
    text = f'<feed xmlns="{ATOM}">{"".join(entries)}</feed>'
    return HttpResponse(200, {"content-type": "application/atom+xml"}, text.encode(encoding))


def entry(
    post_id: str = "t3_1w1", title: str = "a", published: str = "2026-11-15T20:00:00+00:00", link: str = ""
) -> str:
    content = f"&lt;a href=&quot;{link}&quot;&gt;[link]&lt;/a&gt;"
    return (
        f"<entry><id>{post_id}</id><title>{title}</title><published>{published}</published>"
        f"<content>{content}</content></entry>"
    )


def listing_of(**data: Any) -> HttpResponse:
    child = {"kind": "t3", "data": {"id": "1w1", "title": "a", "created_utc": 1_788_026_357.0, **data}}
    body = {"kind": "Listing", "data": {"children": [child]}}
    return HttpResponse(200, {"content-type": "application/json"}, json.dumps(body).encode())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le"])
def test_a_feed_that_hides_a_declaration_by_its_encoding_is_malformed(encoding: str) -> None:
    with pytest.raises(Malformed):
        parse_feed(feed_of(entry(), encoding=encoding))


def test_a_feed_with_entities_of_its_own_is_malformed() -> None:
    body = f'<!DOCTYPE feed [<!ENTITY a "aaaa">]><feed xmlns="{ATOM}">{entry(title="&a;")}</feed>'
    with pytest.raises(Malformed):
        parse_feed(HttpResponse(200, {}, body.encode()))


@pytest.mark.parametrize(
    "bad",
    [
        entry(post_id="t3_../../etc"),
        entry(post_id="t3_" + "a" * 50),
        entry(published="tomorrow"),
        entry(published="99999-01-01"),
        entry(title=""),
    ],
)
def test_an_entry_that_cannot_be_read_is_left_out_and_alone_it_is_malformed(bad: str) -> None:
    assert [post.id for post in parse_feed(feed_of(entry(), bad)).posts] == ["1w1"]
    with pytest.raises(Malformed):
        parse_feed(feed_of(bad))


@pytest.mark.parametrize("published", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"])
def test_a_date_at_the_end_of_the_calendar_is_no_error(published: str) -> None:
    assert len(parse_feed(feed_of(entry(published=published))).posts) == 1


@pytest.mark.parametrize("link", ["javascript:alert(1)", "file:///etc/passwd", "//evil.test/v", "data:text/html,x"])
def test_a_link_that_is_no_web_address_is_dropped(link: str) -> None:
    assert parse_feed(feed_of(entry(link=link))).posts[0].link == ""
    with_link = parse_listing(listing_of(url=link, url_overridden_by_dest=link))
    assert [post.link for post in with_link.posts] == [""]


def test_an_oversized_title_is_cut() -> None:
    assert len(parse_feed(feed_of(entry(title="x" * 10_000))).posts[0].title) == 300
    assert len(parse_listing(listing_of(title="x" * 10_000)).posts[0].title) == 300


@pytest.mark.parametrize("created", [1e300, -5, float("nan"), float("inf"), "soon", None])
def test_a_post_without_a_possible_time_is_left_out(created: Any) -> None:
    assert parse_listing(listing_of(created_utc=created)).posts == ()


def test_at_most_two_hundred_entries_are_read() -> None:
    assert len(parse_feed(feed_of(*(entry(f"t3_{number}") for number in range(500)))).posts) == 200


def test_an_empty_list_of_new_posts_is_blocked() -> None:
    with pytest.raises(Blocked):
        require_posts(parse_feed(feed_of()))
