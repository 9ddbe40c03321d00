"""How many instances run: the table of decisions, and that they never swing to and fro."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.scaler.decision import (
    MeasuredLoad,
    PoolCheck,
    PoolHistory,
    ScalingDecision,
    ScalingReason,
    ScalingRules,
    decide_count,
)

NOON = datetime(2026, 11, 14, 12, tzinfo=UTC)
CHECK = timedelta(seconds=30)
COOLDOWN = timedelta(seconds=60)
RULES = ScalingRules(2, 8, 5, 2, CHECK, COOLDOWN)
LONG_LOW = PoolHistory(low_since=NOON - COOLDOWN)
FRESH = PoolHistory()


@pytest.mark.parametrize(
    ("running", "load", "history", "wanted", "reason"),
    [
        (0, MeasuredLoad(0), FRESH, 2, ScalingReason.BELOW_MINIMUM),
        (1, None, FRESH, 2, ScalingReason.BELOW_MINIMUM),
        (9, MeasuredLoad(400), FRESH, 8, ScalingReason.ABOVE_MAXIMUM),
        (2, MeasuredLoad(10), FRESH, 2, ScalingReason.LOAD_BETWEEN),
        (2, MeasuredLoad(11), FRESH, 3, ScalingReason.LOAD_HIGH),
        (2, MeasuredLoad(23), FRESH, 5, ScalingReason.LOAD_HIGH),
        (2, MeasuredLoad(4000), FRESH, 8, ScalingReason.LOAD_HIGH),
        (8, MeasuredLoad(41), FRESH, 8, ScalingReason.AT_MAXIMUM),
        # 6 wait and one more arrives each second: 36 by the next check.
        (2, MeasuredLoad(6, growth=1), FRESH, 8, ScalingReason.LOAD_HIGH),
        (2, MeasuredLoad(9, growth=-5), FRESH, 2, ScalingReason.LOAD_BETWEEN),
        (4, MeasuredLoad(8), LONG_LOW, 4, ScalingReason.LOAD_BETWEEN),
        (4, MeasuredLoad(7), LONG_LOW, 3, ScalingReason.LOAD_LOW),
        (8, MeasuredLoad(0), LONG_LOW, 7, ScalingReason.LOAD_LOW),
        (4, MeasuredLoad(7, growth=0.1), LONG_LOW, 4, ScalingReason.LOAD_BETWEEN),
        (4, MeasuredLoad(0), FRESH, 4, ScalingReason.LOAD_LOW_TOO_BRIEFLY),
        (2, MeasuredLoad(0), LONG_LOW, 2, ScalingReason.AT_MINIMUM),
        (4, None, LONG_LOW, 4, ScalingReason.LOAD_UNKNOWN),
        (4, MeasuredLoad(100), PoolHistory(NOON - COOLDOWN + CHECK), 4, ScalingReason.COOLING_DOWN),
        (4, MeasuredLoad(100), PoolHistory(NOON - COOLDOWN), 8, ScalingReason.LOAD_HIGH),
        (4, MeasuredLoad(100), PoolHistory(NOON + COOLDOWN), 8, ScalingReason.LOAD_HIGH),
        (4, MeasuredLoad(0), PoolHistory(NOON - CHECK, NOON - COOLDOWN), 4, ScalingReason.COOLING_DOWN),
        (1, MeasuredLoad(0), PoolHistory(NOON), 2, ScalingReason.BELOW_MINIMUM),
    ],
)
def test_the_table(
    running: int, load: MeasuredLoad | None, history: PoolHistory, wanted: int, reason: ScalingReason
) -> None:
    decision, _ = decide_count(RULES, history, PoolCheck(NOON, running, load))
    assert (decision.wanted, decision.reason) == (wanted, reason)


def test_the_history_tells_the_last_change_and_since_when_the_load_is_low() -> None:
    _, grown = decide_count(RULES, FRESH, PoolCheck(NOON, 2, MeasuredLoad(40)))
    assert grown == PoolHistory(changed_at=NOON)
    _, low = decide_count(RULES, grown, PoolCheck(NOON + CHECK, 8, MeasuredLoad(0)))
    assert low == PoolHistory(NOON, NOON + CHECK)
    _, unknown = decide_count(RULES, low, PoolCheck(NOON + 2 * CHECK, 8, None))
    assert unknown == PoolHistory(NOON, None)


@pytest.mark.parametrize(
    ("capacity", "limits"), [(16, (2, 8)), (8, (2, 8)), (4, (2, 4)), (2, (2, 2)), (1, (1, 1)), (0, (1, 1))]
)
def test_a_small_place_lowers_both_limits(capacity: int, limits: tuple[int, int]) -> None:
    limited = RULES.limit_to(capacity)
    assert (limited.min_instances, limited.max_instances) == limits


def play(rules: ScalingRules, loads: list[MeasuredLoad | None], running: int) -> list[ScalingDecision]:
    """The decisions about a pool that does what they say, one check after the other."""
    decisions, history = [], FRESH
    for number, load in enumerate(loads):
        decision, history = decide_count(rules, history, PoolCheck(NOON + number * rules.check_interval, running, load))
        decisions.append(decision)
        running = decision.wanted
    return decisions


@st.composite
def all_rules(draw: st.DrawFn) -> ScalingRules:
    down = draw(st.floats(0.5, 20))
    smallest = draw(st.integers(1, 6))
    return ScalingRules(
        smallest,
        smallest + draw(st.integers(0, 12)),
        down * draw(st.floats(2, 6)),
        down,
        timedelta(seconds=draw(st.integers(1, 60))),
        timedelta(seconds=draw(st.integers(0, 180))),
    )


LOADS = st.builds(MeasuredLoad, st.integers(0, 300), st.floats(-5, 5))


@given(all_rules(), st.lists(st.one_of(LOADS, st.none()), max_size=60), st.integers(0, 20))
def test_the_limits_hold_and_changes_keep_their_distance(
    rules: ScalingRules, loads: list[MeasuredLoad | None], running: int
) -> None:
    last_change: int | None = None
    for number, decision in enumerate(play(rules, loads, running)):
        assert rules.min_instances <= decision.wanted <= rules.max_instances
        if not decision.changes:
            continue
        within = rules.min_instances <= decision.running <= rules.max_instances
        if last_change is not None and within:
            assert (number - last_change) * rules.check_interval >= rules.cooldown
        assert not within or loads[number] is not None
        last_change = number


@given(all_rules(), st.lists(LOADS, min_size=1, max_size=60), st.integers(1, 20))
def test_an_instance_is_stopped_only_after_a_whole_cooldown_of_low_load(
    rules: ScalingRules, loads: list[MeasuredLoad], running: int
) -> None:
    decisions = play(rules, list(loads), running)
    for number, decision in enumerate(decisions):
        if decision.reason is not ScalingReason.LOAD_LOW:
            continue
        assert decision.wanted == decision.running - 1
        needed = -(-rules.cooldown // rules.check_interval)
        looks = decisions[number - needed : number + 1]
        assert len(looks) == needed + 1
        assert all(one.expected is not None and one.expected < rules.scale_down * one.running for one in looks)


@given(all_rules(), LOADS, st.integers(1, 20))
def test_a_steady_load_never_turns_the_direction_around(rules: ScalingRules, load: MeasuredLoad, running: int) -> None:
    enough = 40 + 25 * int(rules.cooldown / rules.check_interval + 1)
    changes = [one.wanted - one.running for one in play(rules, [load] * enough, running) if one.changes]
    inside = changes[1:] if not rules.min_instances <= running <= rules.max_instances else changes
    assert all(change > 0 for change in inside) or all(change < 0 for change in inside)
    settled = play(rules, [load] * (enough + 5), running)[-5:]
    assert not any(one.changes for one in settled)


def test_thresholds_closer_than_half_would_swing_to_and_fro() -> None:
    """Why the settings refuse them: the property above fails."""
    close = replace(RULES, min_instances=1, scale_down=4.5, cooldown=timedelta(0))
    changes = [one.wanted - one.running for one in play(close, [MeasuredLoad(6)] * 6, 1) if one.changes]
    assert changes[:3] == [1, -1, 1]
