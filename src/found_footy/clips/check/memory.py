"""Remembers the results of checks: the same bytes are posted again and again, and what they show does not change."""

from collections import OrderedDict
from dataclasses import replace
from typing import Any

from found_footy.clips.check.conversion import to_check_result
from found_footy.clips.messages import CheckResult
from found_footy.domain.messages import Goal
from found_footy.domain.outcomes import ClipOutcome
from found_footy.vision.expectation import ExpectedGoal
from found_footy.vision.verdict import Rejected, Verdict

_CAPACITY = 512

_GoalKey = tuple[str, str, ExpectedGoal]


class CheckMemory:
    """Of the files that were checked last, in this process. The result of a file holds for the goal that it was checked
    for, as the goal was then; a picture without football and without a clock holds for every goal.
    """

    def __init__(self, capacity: int = _CAPACITY) -> None:
        self._capacity = capacity
        self._by_goal: OrderedDict[_GoalKey, CheckResult] = OrderedDict()
        self._without_football: OrderedDict[str, Rejected] = OrderedDict()

    def find_result(self, md5: str, goal: Goal, expected: ExpectedGoal) -> CheckResult | None:
        found = self._by_goal.get((md5, goal.event_id, expected))
        if found is not None or (verdict := self._without_football.get(md5)) is None:
            return found
        # Its pictures are stored with the other goal, and are deleted with it.
        return to_check_result(replace(verdict, evidence=replace(verdict.evidence, expected=str(expected))), {})

    def add_result(self, md5: str, goal: Goal, expected: ExpectedGoal, verdict: Verdict, result: CheckResult) -> None:
        self._by_goal[md5, goal.event_id, expected] = result
        if isinstance(verdict, Rejected) and _holds_for_every_goal(verdict):
            self._without_football[md5] = verdict
        _drop_oldest(self._by_goal, self._capacity)
        _drop_oldest(self._without_football, self._capacity)


def _drop_oldest(memory: OrderedDict[Any, Any], capacity: int) -> None:
    while len(memory) > capacity:
        memory.popitem(last=False)


def _holds_for_every_goal(verdict: Rejected) -> bool:
    """A clock that runs at a goal's minute may outweigh a picture in doubt, so there must be none."""
    return verdict.outcome is ClipOutcome.NOT_SOCCER and not any(
        reading.clock or reading.added or reading.stoppage_clock for reading in verdict.evidence.readings
    )
