"""The parser against a corpus of recorded shapes, and against anything at all."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.domain.messages import ClipCandidate
from found_footy.domain.tweets import tweet_id_time
from found_footy.xsearch.results.timeline import TimelinePage, parse_timeline
from found_footy.xsearch.results.tweets import parse_tweet

SITE = "https://x.com"
CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.json"))
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)


def load(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return loaded


def shown(video: ClipCandidate) -> dict[str, Any]:
    return {
        "url": video.url,
        "tweet_id": video.tweet_id,
        "author": video.author,
        "posted_at": video.posted_at.isoformat() if video.posted_at else None,
        "duration_seconds": video.duration_seconds,
        "text": video.text,
        "sizes": [[v.width, v.height, v.bitrate] for v in video.variants],
    }


def summary(page: TimelinePage) -> dict[str, Any]:
    return {
        "videos": [shown(video) for video in page.videos],
        "posts": page.posts,
        "readable": page.readable,
        "bottom": page.bottom_cursor,
        "rejected_ids": page.rejected_ids,
        "promoted": page.promoted,
        "strange": page.unknown_entries,
    }


def test_there_is_a_corpus() -> None:
    assert len(CORPUS) > 20


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_every_recorded_shape_is_read_as_expected(path: Path) -> None:
    case = load(path)
    page = parse_timeline(case["payload"], SITE)
    assert page is not None
    assert summary(page) == case["expect"], case["about"]


@pytest.mark.parametrize("payload", [None, [], "text", 7, {}, {"data": None}, {"data": {"search_by_raw_query": {}}}])
def test_what_has_no_instructions_is_no_timeline(payload: object) -> None:
    assert parse_timeline(payload, SITE) is None


def test_posts_are_linked_at_the_site_that_was_searched() -> None:
    page = parse_timeline(load(CORPUS[0].parent / "first_page.json")["payload"], "http://127.0.0.1:9")
    assert page is not None
    assert page.videos[0].url.startswith("http://127.0.0.1:9/northstand/status/")


def test_variants_are_mp4_files_best_first() -> None:
    page = parse_timeline(load(CORPUS[0].parent / "first_page.json")["payload"], SITE)
    assert page is not None
    urls = [variant.url for variant in page.videos[0].variants]
    assert all(".mp4?tag=" in url for url in urls)
    assert [v.bitrate for v in page.videos[0].variants] == [2176000, 288000]


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else []
    return [path, *(deeper for key in keys for deeper in places(node[key], (*path, key)))]


def replaced(payload: Any, place: tuple[Any, ...], value: Any) -> Any:
    if not place:
        return value
    mutant = copy.deepcopy(payload)
    node = mutant
    for key in place[:-1]:
        node = node[key]
    node[place[-1]] = value
    return mutant


@given(data=st.data())
def test_no_mutation_of_an_answer_breaks_the_parser_or_lets_a_false_id_through(data: st.DataObject) -> None:
    payload = load(data.draw(st.sampled_from(CORPUS)))["payload"]
    for _ in range(data.draw(st.integers(1, 3))):
        payload = replaced(payload, data.draw(st.sampled_from(places(payload))), data.draw(ANYTHING))
    page = parse_timeline(payload, SITE)
    if page is not None:
        assert all(re.fullmatch("[0-9]{15,20}", video.tweet_id) for video in page.videos)
        assert all(video.posted_at and video.posted_at.tzinfo for video in page.videos)
        assert page.readable <= page.posts


@given(ANYTHING)
def test_any_json_is_parsed_or_refused(payload: Any) -> None:
    parse_timeline(payload, SITE)
    parse_timeline({"data": {"search_by_raw_query": {"search_timeline": {"timeline": payload}}}}, SITE)


def tweet(number: int, kind: str | None, quoted: Any = None) -> dict[str, Any]:
    info = {"variants": [{"content_type": "video/mp4", "bitrate": 1, "url": "https://video.twimg.com/1.mp4"}]}
    media = [{"type": kind, "video_info": info}] if kind else []
    identity = str(2_089_000_000_000_000_000 + number)
    legacy = {"full_text": "!", "extended_entities": {"media": media}}
    return {"rest_id": identity, "legacy": legacy, **({"quoted_status_result": {"result": quoted}} if quoted else {})}


@pytest.mark.parametrize(
    ("own", "quoted", "found"),
    [
        ("animated_gif", "video", 2),
        ("animated_gif", "animated_gif", 1),
        ("animated_gif", None, 1),
        ("video", "video", 1),
        (None, "animated_gif", 2),
        (None, "video", 2),
    ],
)
def test_a_gif_counts_only_where_there_is_no_video(own: str | None, quoted: str | None, found: int) -> None:
    reading = parse_tweet(tweet(1, own, tweet(2, quoted)), SITE)
    assert [video.tweet_id for video in reading.videos] == [str(2_089_000_000_000_000_000 + found)]


@pytest.mark.parametrize("stated", ["half \ud83d", "yesterday", 7, None, []])
def test_an_invalid_time_is_replaced_by_that_of_the_id_and_surrogates_by_question_marks(stated: Any) -> None:
    post = tweet(1, "video")
    post["legacy"] |= {"created_at": stated, "full_text": "half \udc00"}
    [video] = parse_tweet(post, SITE).videos
    assert (video.posted_at, video.text) == (tweet_id_time(video.tweet_id), "half ?")


def test_a_video_with_an_unknown_description_is_found_without_files() -> None:
    post = tweet(1, "video")
    post["legacy"]["extended_entities"]["media"][0]["video_info"] = ["?"]
    [video] = parse_tweet(post, SITE).videos
    assert video.variants == ()


def test_nested_quotes_are_read_to_a_limited_depth() -> None:
    payload = load(CORPUS[0].parent / "quote_holds_the_video.json")["payload"]
    entry = payload["data"]["search_by_raw_query"]["search_timeline"]["timeline"]["instructions"][0]["entries"][0]
    outer = entry["content"]["itemContent"]["tweet_results"]["result"]
    for _ in range(500):
        outer = {**outer, "quoted_status_result": {"result": outer}}
    entry["content"]["itemContent"]["tweet_results"]["result"] = outer
    assert parse_timeline(payload, SITE) is not None
