"""The simulated search language."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy_sim.x import VideoRendition, XPost, XVideo, make_snowflake
from found_footy_sim.x.search_query import compile_query

NOW = datetime(2026, 11, 15, 15, tzinfo=UTC)
VIDEO = XVideo("1", (VideoRendition("https://v/1.mp4", 1, 2, 3),))


def post(text: str = "Goal by Ødegaard for Arsenal!", age: float = 60, **more: object) -> XPost:
    at = NOW - timedelta(seconds=age)
    fields = {"videos": (VIDEO,), "author": "clipper", "author_name": "Goal Clips", **more}
    return XPost(id=make_snowflake(at), text=text, posted_at=at, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("arsenal", True),
        ("Arsenal goal", True),
        ("Arsenal Chelsea", False),
        ("Chelsea OR Arsenal", True),
        ("(Saka OR Ødegaard) (AFC OR Arsenal)", True),
        ("(Saka OR Rice) (AFC OR Arsenal)", False),
        ('"for Arsenal"', True),
        ('"Arsenal for"', False),
        ('"goal by ødegaard"', True),
        ('Saka OR "for Arsenal" goal', True),
        ("Arsenal -goal", False),
        ('Arsenal -"for Chelsea"', True),
        ("Ärsenal", True),
        ("arsena", False),
        ("clipper", True),
        ("clips", True),
        ("", False),
        ("()", False),
        ("(Arsenal", True),
        ("Arsenal)", False),
        ("Arsenal filter:videos", True),
        ("Arsenal filter:native_video", True),
        ("Arsenal filter:replies", False),
        ("Arsenal -filter:replies", True),
        ("Arsenal -filter:nativeretweets -filter:quote", True),
        ("Arsenal filter:unheard", False),
        (f"Arsenal since_time:{int(NOW.timestamp()) - 60}", True),
        (f"Arsenal since_time:{int(NOW.timestamp()) - 59}", False),
        (f"Arsenal until_time:{int(NOW.timestamp()) - 60}", False),
        ("Arsenal within_time:3m", True),
        ("Arsenal within_time:30s", False),
        ("Arsenal within_time:soon", False),
        ("Arsenal lang:en", True),
        ("Arsenal from:clipper", True),
        ("Arsenal from:other", False),
    ],
)
def test_a_query_finds_what_the_site_would_find(query: str, found: bool) -> None:
    assert compile_query(query, NOW)(post()) is found


def test_snowflake_bounds_are_exclusive_below_and_inclusive_above() -> None:
    it = post()
    assert not compile_query(f"Arsenal since_id:{it.id}", NOW)(it)
    assert compile_query(f"Arsenal max_id:{it.id}", NOW)(it)


def test_a_post_without_video_is_found_only_if_its_quote_has_one() -> None:
    finds = compile_query("Arsenal filter:videos", NOW)
    assert not finds(post(videos=()))
    assert finds(post(videos=(), quoted=post()))


def test_too_many_operators_find_nothing() -> None:
    names = " OR ".join(["Arsenal"] * 23)
    assert compile_query(names, NOW)(post())
    assert not compile_query(f"{names} filter:videos", NOW)(post())


@given(st.text(alphabet='ab ()"-:OR', max_size=40))
def test_any_text_is_a_query(text: str) -> None:
    assert compile_query(text, NOW)(post()) in (True, False)
