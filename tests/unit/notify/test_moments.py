"""The moments of goals: by a table, and by a property over every way of looking at a goal's life."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.domain.documents import FixtureDocument
from found_footy.domain.notify_documents import MomentDocument
from found_footy.notify.moments import Moment, build_moment_document, derive_moments
from tests.support.notify.goals import AT, EVENT_ID, FIXTURE_ID, OTHER_EVENT_ID, clip, fixture, goal

REMOVED_AT = AT + timedelta(minutes=9)


def observe(states: list[FixtureDocument]) -> list[MomentDocument]:
    """The moments that are recorded by looking at these states one after the other."""
    recorded: dict[str, MomentDocument] = {}
    for minute, state in enumerate(states):
        for moment in derive_moments(state, recorded.values()):
            at = AT + timedelta(minutes=minute)
            assert moment.id not in recorded
            recorded[moment.id] = build_moment_document(moment, FIXTURE_ID, at)
    return list(recorded.values())


def kinds(*states: FixtureDocument) -> list[str]:
    return [record["moment"] for record in observe(list(states))]


def with_clips(*clips: dict[str, Any]) -> FixtureDocument:
    return fixture(goal(_s3_videos=list(clips)))


PLAIN = fixture(goal())
REMOVED = fixture(removed=(goal(_removed=True, _removed_at=REMOVED_AT),))
MOVED = fixture(
    goal(OTHER_EVENT_ID, _matched_from=EVENT_ID, player={"id": 9, "name": "G. Jesus"}),
    removed=(goal(_removed=True, _removed_at=REMOVED_AT, _moved_to=OTHER_EVENT_ID),),
)
MOVED_BACK = fixture(
    goal(_matched_from=OTHER_EVENT_ID),
    removed=(goal(OTHER_EVENT_ID, _removed=True, _matched_from=EVENT_ID, _moved_to=EVENT_ID),),
)

CASES: list[tuple[str, list[FixtureDocument], list[Moment]]] = [
    ("no goal", [fixture()], []),
    ("not due yet", [fixture(goal(_due_at=None))], []),
    ("a ghost is no goal", [fixture(goal(_ghost_at=AT))], []),
    ("confirmed once", [PLAIN, PLAIN], [Moment.CONFIRMED]),
    ("confirmed with a clip", [with_clips(clip("a"))], [Moment.CONFIRMED, Moment.FIRST_CLIP]),
    ("a clip later", [PLAIN, with_clips(clip("a"))], [Moment.CONFIRMED, Moment.FIRST_CLIP]),
    (
        "a larger clip is better",
        [with_clips(clip("a", height=480)), with_clips(clip("b", height=720), clip("a", 2, 480))],
        [Moment.CONFIRMED, Moment.FIRST_CLIP, Moment.BETTER_CLIP],
    ),
    (
        "a verified clip is better than a larger one",
        [with_clips(clip("a", height=1080)), with_clips(clip("b", height=480, verified=True))],
        [Moment.CONFIRMED, Moment.FIRST_CLIP, Moment.BETTER_CLIP],
    ),
    (
        "the same clip in a better copy",
        [with_clips(clip("a", height=480)), with_clips(clip("a", height=1080))],
        [Moment.CONFIRMED, Moment.FIRST_CLIP, Moment.BETTER_CLIP],
    ),
    (
        "a clip that is only posted more often is no news",
        [with_clips(clip("a")), with_clips(clip("b"), clip("a", 2)), with_clips(clip("a"), clip("b", 2))],
        [Moment.CONFIRMED, Moment.FIRST_CLIP],
    ),
    ("disallowed", [PLAIN, REMOVED, REMOVED], [Moment.CONFIRMED, Moment.DISALLOWED]),
    ("disallowed before anybody was told", [REMOVED], []),
    (
        "disallowed while still listed",
        [PLAIN, fixture(goal(_removed=True, _removed_at=REMOVED_AT))],
        [Moment.CONFIRMED, Moment.DISALLOWED],
    ),
    ("given again", [PLAIN, REMOVED, PLAIN, PLAIN], [Moment.CONFIRMED, Moment.DISALLOWED, Moment.CONFIRMED]),
    ("re-attributed", [PLAIN, MOVED, MOVED], [Moment.CONFIRMED, Moment.REATTRIBUTED]),
    ("re-attributed before anybody was told", [MOVED, MOVED], [Moment.CONFIRMED]),
    (
        "re-attributed and back",
        [PLAIN, MOVED, MOVED_BACK, MOVED_BACK],
        [Moment.CONFIRMED, Moment.REATTRIBUTED, Moment.REATTRIBUTED],
    ),
]


@pytest.mark.parametrize(("states", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_moments_of_a_goal_in_the_order_of_its_states(states: list[FixtureDocument], expected: list[Moment]) -> None:
    assert kinds(*states) == expected


def test_a_goal_keeps_its_first_id() -> None:
    assert {record["goal"] for record in observe([PLAIN, MOVED, MOVED_BACK])} == {EVENT_ID}


def test_two_goals_have_moments_of_their_own() -> None:
    both = fixture(goal(), goal("1001_42_7_Goal_2"))
    assert {record["_id"] for record in observe([both])} == {f"{EVENT_ID}:confirmed", "1001_42_7_Goal_2:confirmed"}


QUALITIES = st.tuples(st.booleans(), st.sampled_from([360, 480, 720, 1080]))


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from("abc"), QUALITIES), max_size=3, unique_by=lambda one: one[0]), max_size=6
    ),
    st.booleans(),
    st.data(),
)
def test_however_often_a_goal_is_looked_at_each_moment_comes_once(
    lists: list[list[tuple[str, tuple[bool, int]]]], ends_removed: bool, data: st.DataObject
) -> None:
    """`observe` asserts that no moment comes twice."""
    life = [PLAIN]
    for clips in lists:
        ranked = [clip(name, place, size, proven) for place, (name, (proven, size)) in enumerate(clips, 1)]
        life.append(with_clips(*ranked))
    last = life[-1]
    life += [REMOVED] if ends_removed else []
    seen = data.draw(st.lists(st.integers(0, len(life) - 1), max_size=12).map(sorted))
    if not seen:
        return
    records = observe([life[place] for place in seen] + [life[-1]])
    told = [record["moment"] for record in records]
    assert told.count(Moment.CONFIRMED) == (1 if seen[0] < len(life) - 1 or not ends_removed else 0)
    assert told.count(Moment.FIRST_CLIP) <= 1
    assert told.count(Moment.DISALLOWED) == (1 if ends_removed and told else 0)
    if not ends_removed and last["events"][0]["_s3_videos"]:
        best = last["events"][0]["_s3_videos"][0]
        sizes = [(record.get("verified"), record.get("height")) for record in records if record.get("clip_id")]
        assert max(sizes, default=(False, 0)) >= (best["timestamp_verified"], best["height"])
