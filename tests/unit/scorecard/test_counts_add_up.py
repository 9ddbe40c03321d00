"""Whatever the day, its figures add up."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from found_footy.domain.collections import FixtureCollection
from found_footy.domain.outcomes import ClipOutcome
from found_footy_sim.scorecard.html_report import render_html
from found_footy_sim.scorecard.targets import evaluate_targets
from found_footy_sim.scorecard.text_report import render_text
from tests.support.scorecard.match_days import card, clip, event, fixture, make_truth, post, true_goal

Json = dict[str, Any]
NUMBERS = st.integers(1, 9)
EXPECTED = st.sampled_from(["publish", "duplicate_of:r1", "reject:not_soccer", "reject:wrong_minute", "unreachable"])


@st.composite
def goals(draw: st.DrawFn) -> list[Json]:
    minutes = draw(st.lists(st.integers(1, 120), unique=True, max_size=5))
    flags = st.booleans()
    return [
        true_goal(f"g{n}", minute=str(minute), stands=draw(flags), right_clip_posted=draw(flags))
        for n, minute in enumerate(minutes)
    ]


@st.composite
def posts(draw: st.DrawFn) -> list[Json]:
    numbers = draw(st.lists(NUMBERS, unique=True, max_size=9))
    shown = st.sampled_from(["g0", "g1", "g2", "elsewhere", None])
    return [
        post(n, goal=draw(shown), recording=f"r{draw(st.integers(1, 3))}", expected=draw(EXPECTED)) for n in numbers
    ]


@st.composite
def events(draw: st.DrawFn) -> list[Json]:
    minutes = draw(st.lists(st.integers(1, 120), unique=True, max_size=5))
    return [
        event(
            [clip(n, timestamp_verified=draw(st.booleans())) for n in draw(st.lists(NUMBERS, unique=True, max_size=4))],
            draw(st.dictionaries(NUMBERS, st.sampled_from([outcome.value for outcome in ClipOutcome]), max_size=5)),
            _event_id=f"e{n}",
            time={"elapsed": minute},
            _download_complete=draw(st.booleans()),
        )
        for n, minute in enumerate(minutes)
    ]


@given(goals(), posts(), events(), events(), st.sampled_from([FixtureCollection.ACTIVE, FixtureCollection.COMPLETED]))
def test_counts_add_up(
    true: list[Json], posted: list[Json], live: list[Json], removed_goal: list[Json], collection: FixtureCollection
) -> None:
    gone = tuple(one | {"_event_id": f"x{one['_event_id']}"} for one in removed_goal)
    day = card(make_truth(true, posted), fixture(*live, removed=gone, collection=collection))
    figures, clips = day.goals, day.clips
    assert figures.true == len(day.rows) == len(true)
    assert figures.standing <= figures.true
    assert figures.watchable <= figures.had_clip <= figures.standing
    assert figures.seen == sum(row.seen for row in day.rows) <= min(len(true), len(live) + len(removed_goal))
    assert clips.published == sum(len(one["_s3_videos"]) for one in live)
    assert clips.published == clips.right + clips.not_showing
    assert 0 <= clips.unknown <= clips.not_showing
    assert clips.published == sum(verified + unverified for _, verified, unverified in clips.grades)
    assert clips.wrong_verified.part <= min(clips.verified, clips.not_showing)
    assert clips.wrong_verified.whole == clips.verified
    assert 0 <= day.search.refused.part <= day.search.refused.whole <= len(posted)
    assert day.search.refused.part == sum(count for _, count in day.search.refused_by)
    assert day.search.recall.whole <= sum(rate.whole for _, rate in day.search.by_names)
    assert 0 <= clips.copies.swallowed <= clips.copies.recordings
    assert sum(count for _, count in figures.without_clip) == sum(row.stands and not row.right for row in day.rows)
    assert 0 <= clips.copies.across_pools <= clips.copies.published <= clips.published
    verdicts = sum(len(one["_telemetry"]["attempts"]["download1-a"]["clips"]) for one in [*live, *removed_goal])
    looked_at = sum(count for _, outcome, count in day.outcomes.cells if outcome != "not looked at")
    assert looked_at == verdicts
    assert day.first.count <= figures.seen
    assert figures.endless == sum(not one["_download_complete"] for one in live)
    assert all(target.name in render_text(day) for target in evaluate_targets(day))
    assert render_html(day).endswith("</html>\n")
