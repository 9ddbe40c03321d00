"""Feeds and calendars are well-formed whatever the names are, and say the right times."""

import json
import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.domain.collections import FixtureCollection
from found_footy.views.fixture_views import FixtureView, StoredFixture, build_fixture_view
from found_footy.views.search import GoalFilter, select_goals
from found_footy.web.feeds.calendar_format import fold_line, render_calendar
from found_footy.web.feeds.feed_formats import render_atom, render_json_feed, render_rss
from found_footy.web.feeds.feed_items import FeedChannel, build_feed_items
from tests.support.web import matchday
from tests.support.web.matchday import NOW

BASE = "https://footy.example"
ATOM = "{http://www.w3.org/2005/Atom}"
EVENT = "5000_40_234_Goal_1"
NASTY = '</title><script>alert("x")</script> & Ö’\x00\x01\ud800 ]]> %'
WANTED = '</title><script>alert("x")</script> & Ö’ ]]> %'


def parse_xml(text: bytes) -> Xml.Element:
    return Xml.fromstring(text)  # noqa: S314


def fixture(name: str = "Florian Wirtz", **changes: Any) -> FixtureView:
    clips = [
        matchday.clip(EVENT, "b" * 32, rank=2, added_at=NOW - timedelta(minutes=1)),
        matchday.clip(EVENT, added_at=NOW - timedelta(minutes=25)),
    ]
    document = matchday.fixture(events=[matchday.goal(name=name, _s3_videos=clips)], **changes)
    return build_fixture_view(StoredFixture(FixtureCollection.ACTIVE, document), attempts_wanted=10)


def channel(name: str = "Florian Wirtz") -> FeedChannel:
    items = build_feed_items(select_goals(fixture(name), GoalFilter()), BASE)
    return FeedChannel("Found Footy: Spurs & co", "Goals <here>", f"{BASE}/", f"{BASE}/feeds/goals.rss", items)


@pytest.mark.parametrize(("name", "shown"), [("Florian Wirtz", "Florian Wirtz"), (NASTY, WANTED)])
def test_rss_has_every_required_element(name: str, shown: str) -> None:
    root = parse_xml(render_rss(channel(name)))
    assert (root.tag, root.get("version")) == ("rss", "2.0")
    top = root.find("channel")
    assert top is not None
    assert [top.findtext(tag) for tag in ("title", "link", "description")] == [
        "Found Footy: Spurs & co",
        f"{BASE}/",
        "Goals <here>",
    ]
    own = top.find(f"{ATOM}link")
    assert own is not None
    assert (own.get("rel"), own.get("href")) == ("self", f"{BASE}/feeds/goals.rss")
    (item,) = top.findall("item")
    assert item.findtext("title") == f"{shown} 23', Liverpool 1–0 Arsenal"
    guid, enclosure = item.find("guid"), item.find("enclosure")
    assert guid is not None
    assert enclosure is not None
    assert (guid.text, guid.get("isPermaLink")) == (f"urn:found-footy:goal:{EVENT}", "false")
    assert enclosure.attrib == {
        "url": f"{BASE}/clips/{EVENT}-aaaaaaaa.mp4",
        "length": "1000000",
        "type": "video/mp4",
    }
    assert parsedate_to_datetime(item.findtext("pubDate") or "") == NOW - timedelta(minutes=25)
    assert parsedate_to_datetime(top.findtext("lastBuildDate") or "") == NOW - timedelta(minutes=1)


def test_atom_has_every_required_element() -> None:
    root = parse_xml(render_atom(channel(NASTY)))
    assert root.tag == f"{ATOM}feed"
    assert [root.findtext(f"{ATOM}{tag}") for tag in ("id", "updated")] == [
        f"{BASE}/feeds/goals.rss",
        "2026-11-15T19:59:00Z",
    ]
    assert root.findtext(f"{ATOM}author/{ATOM}name")
    (entry,) = root.findall(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}title") == f"{WANTED} 23', Liverpool 1–0 Arsenal"
    assert [entry.findtext(f"{ATOM}{tag}") for tag in ("id", "published", "updated")] == [
        f"urn:found-footy:goal:{EVENT}",
        "2026-11-15T19:35:00Z",
        "2026-11-15T19:59:00Z",
    ]
    links = {link.get("rel"): link.get("href") for link in entry.findall(f"{ATOM}link")}
    assert links == {"alternate": f"{BASE}/goals/{EVENT}", "enclosure": f"{BASE}/clips/{EVENT}-aaaaaaaa.mp4"}


def test_json_feed_has_every_required_field() -> None:
    feed = json.loads(render_json_feed(channel(NASTY)))
    assert (feed["version"], feed["title"]) == ("https://jsonfeed.org/version/1.1", "Found Footy: Spurs & co")
    (item,) = feed["items"]
    assert (item["id"], item["title"]) == (f"urn:found-footy:goal:{EVENT}", f"{WANTED} 23', Liverpool 1–0 Arsenal")
    assert item["date_published"] == "2026-11-15T19:35:00Z"
    assert item["attachments"][0]["mime_type"] == "video/mp4"
    assert item["image"].startswith(f"{BASE}/media/")


@given(st.text(max_size=40))
def test_no_name_breaks_a_feed(name: str) -> None:
    made = channel(name)
    titles = [
        parse_xml(render_rss(made)).findtext("channel/item/title"),
        parse_xml(render_atom(made)).findtext(f"{ATOM}entry/{ATOM}title"),
        json.loads(render_json_feed(made))["items"][0]["title"],
    ]
    assert set(titles) == {made.items[0].title}


def test_the_id_of_a_goal_outlives_re_attributions() -> None:
    first, second, third = (f"5000_40_{player}_Goal_1" for player in (1, 2, 3))
    tombstones = [
        matchday.goal(player=1, _moved_to=second, _removed=True),
        matchday.goal(player=2, _moved_to=third, _removed=True),
    ]
    goal = matchday.goal(player=3, _matched_from=second, _s3_videos=[matchday.clip(third)])
    document = matchday.fixture(events=[goal], removed_events=tombstones)
    view = build_fixture_view(StoredFixture(FixtureCollection.ACTIVE, document), attempts_wanted=10)
    (item,) = build_feed_items(select_goals(view, GoalFilter()), BASE)
    assert (item.id, item.url) == (f"urn:found-footy:goal:{first}", f"{BASE}/goals/{third}")


def test_a_goal_without_a_clip_is_in_no_feed_and_an_empty_feed_is_still_one() -> None:
    document = matchday.fixture(events=[matchday.goal()])
    view = build_fixture_view(StoredFixture(FixtureCollection.ACTIVE, document), attempts_wanted=10)
    assert build_feed_items(select_goals(view, GoalFilter()), BASE) == ()
    empty = FeedChannel("t", "d", BASE, BASE, ())
    assert parse_xml(render_atom(empty)).findtext(f"{ATOM}updated") == "1970-01-01T00:00:00Z"
    assert parse_xml(render_rss(empty)).find("channel/item") is None


def parse_calendar(text: bytes) -> list[dict[str, str]]:
    """The events of a calendar, by the grammar of RFC 5545: every line ends with CRLF and has at most 75 bytes."""
    assert text.endswith(b"\r\n")
    lines = text.removesuffix(b"\r\n").split(b"\r\n")
    assert all(0 < len(line) <= 75 for line in lines)
    assert b"\n" not in b"".join(lines)
    unfolded = re.sub(rb"\r\n ", b"", text.removesuffix(b"\r\n")).decode().split("\r\n")
    assert (unfolded[0], unfolded[-1]) == ("BEGIN:VCALENDAR", "END:VCALENDAR")
    events: list[dict[str, str]] = []
    for line in unfolded[1:-1]:
        name, colon, value = line.partition(":")
        assert colon, line
        if line == "BEGIN:VEVENT":
            events.append({})
        elif events and line != "END:VEVENT":
            assert name not in events[-1]
            events[-1][name] = re.sub(r"\\(.)", lambda m: "\n" if m[1] in "nN" else m[1], value)
    return events


def test_a_calendar_has_its_matches_with_their_times() -> None:
    kickoff = datetime(2026, 11, 20, 20, 0, tzinfo=UTC)
    later = fixture(kickoff=kickoff, status="NS", fixture={"status": {"short": "PST"}, "venue": {"name": "A, B; C\\D"}})
    first, second = parse_calendar(render_calendar("Spurs; all", [later, fixture()], BASE))
    assert first["SUMMARY"] == "Liverpool 1–0 Arsenal"
    assert (first["DTSTART"], first["DTEND"]) == ("20261115T190000Z", "20261115T210000Z")
    assert (second["DTSTART"], second["STATUS"], second["LOCATION"]) == ("20261120T200000Z", "TENTATIVE", "A, B; C\\D")
    assert first["UID"] == second["UID"] == "fixture-5000@found-footy"
    assert first["DESCRIPTION"] == "Premier League\nRegular Season - 12\n61'"
    assert first["URL"] == f"{BASE}/matches/5000"


@given(st.text(max_size=60))
def test_no_name_breaks_a_calendar(name: str) -> None:
    teams = {"home": {"id": 1, "name": name}, "away": {"id": 2, "name": "ö" * 60}}
    match = fixture(teams=teams)
    (event,) = parse_calendar(render_calendar(name, [match], BASE))
    wanted = re.sub("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", match.home.name)
    assert event["SUMMARY"].startswith(wanted)


@pytest.mark.parametrize("length", [73, 74, 75, 76, 149, 150, 300])
def test_long_lines_are_folded_between_characters(length: int) -> None:
    for character in "aö⚽":
        folded = fold_line(character * length)
        assert folded.replace(b"\r\n ", b"").decode() == character * length + "\r\n"
        assert all(len(line) <= 75 for line in folded.split(b"\r\n"))
