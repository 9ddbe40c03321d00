"""Score bugs in all their dresses: what they say, and that they can be told apart."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from found_footy_sim.media.clip_spec import ClipScene, ClockFormat, SceneKind, TeamKit
from found_footy_sim.media.graphics.bug_styles import generate_style
from found_footy_sim.media.graphics.score_bug_state import ScoreBugState
from found_footy_sim.media.graphics.score_bugs import BUG_DESIGNS, draw_bug, score_bug_state_at

HOME, AWAY = TeamKit("LIV", "#c8102e", "#c8102e"), TeamKit("ARS", "#f2d21b", "#1b2a6b")
SIZES = (640, 360), (1280, 720), (360, 640)


def said(clock: int, regular: int, form: ClockFormat, **more: object) -> ScoreBugState:
    scene = ClipScene(SceneKind.GOAL, HOME, AWAY, clock=clock, regular=regular, form=form, **more)  # type: ignore[arg-type]
    return score_bug_state_at(scene, scene.moment * scene.duration)


@pytest.mark.parametrize(
    ("form", "clock", "regular", "main", "timer"),
    [
        (ClockFormat.RUNS_ON, 22 * 60 + 5, 45, "22:05", None),
        (ClockFormat.RUNS_ON, 46 * 60 + 34, 45, "46:34", None),
        (ClockFormat.RUNS_ON, 92 * 60 + 17, 90, "92:17", None),
        (ClockFormat.RUNS_ON, 107 * 60, 120, "107:00", None),
        (ClockFormat.SMALL_TIMER, 44 * 60 + 59, 45, "44:59", None),
        (ClockFormat.SMALL_TIMER, 46 * 60 + 34, 45, "45:00", "01:34"),
        (ClockFormat.SMALL_TIMER, 92 * 60 + 17, 90, "90:00", "02:17"),
        (ClockFormat.RESTARTS, 49 * 60 + 53, 90, "04:53", None),
        (ClockFormat.RESTARTS, 13 * 60 + 9, 45, "13:09", None),
        (ClockFormat.RESTARTS, 92 * 60 + 17, 90, "45:00", "02:17"),
    ],
)
def test_every_broadcaster_writes_the_same_second_in_its_own_way(
    form: ClockFormat, clock: int, regular: int, main: str, timer: str | None
) -> None:
    reading = said(clock, regular, form)
    assert (reading.main_clock, reading.added_time_clock, reading.seconds) == (main, timer, clock)


def test_a_clock_that_starts_again_names_the_half() -> None:
    assert said(49 * 60, 90, ClockFormat.RESTARTS).period == "2T"
    assert said(9 * 60, 45, ClockFormat.RESTARTS).period == "1T"


@pytest.mark.parametrize(("clock", "reported", "announced"), [(91 * 60, 0, 2), (91 * 60, 6, 6), (94 * 60 + 50, 0, 5)])
def test_as_much_is_announced_as_was_scripted_or_else_as_is_played(clock: int, reported: int, announced: int) -> None:
    assert said(clock, 90, ClockFormat.SMALL_TIMER, added=reported).announced == announced


@given(design=st.sampled_from(sorted(BUG_DESIGNS)), style=st.integers(0, 10**6), size=st.sampled_from(SIZES))
@settings(max_examples=60, deadline=None)
def test_a_score_bug_is_within_the_picture_in_any_design(design: str, style: int, size: tuple[int, int]) -> None:
    scene = ClipScene(SceneKind.GOAL, HOME, AWAY, clock=92 * 60, regular=90, design=design, style=style)
    panel, (left, top) = draw_bug(design, score_bug_state_at(scene, 5.0), size, style)
    assert left >= 0
    assert top >= 0
    assert left + panel.width <= size[0]
    assert top + panel.height <= size[1]
    assert panel.height >= 8


def test_designs_and_colours_differ_and_are_reproducible() -> None:
    shown = {
        (design, style): np.asarray(
            draw_bug(design, said(1350, 45, ClockFormat.RUNS_ON), (640, 360), style)[0].resize((60, 20))
        )
        for design, style in product(BUG_DESIGNS, (0, 1, 2))
    }
    for one, other in combinations(shown, 2):
        assert np.abs(shown[one].astype(int) - shown[other].astype(int)).mean() > 4, (one, other)
    assert generate_style("bar", 77) == generate_style.__wrapped__("bar", 77)


def test_the_small_timer_stands_in_a_field_of_its_own() -> None:
    runs = draw_bug("bar", said(92 * 60, 90, ClockFormat.RUNS_ON), (1280, 720))[0]
    stands = draw_bug("bar", said(92 * 60, 90, ClockFormat.SMALL_TIMER), (1280, 720))[0]
    assert stands.width > runs.width * 1.2
