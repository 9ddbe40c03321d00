"""Activities that several stages call: one stage implements each of them, the others run it by its declaration."""

from datetime import timedelta
from typing import Protocol

from found_footy.domain.messages import ClipBatch, Goal
from found_footy.platform.temporal.steps import OUTAGE_ATTEMPTS, step

_DATABASE_TIMEOUT = timedelta(seconds=30)


class GoalCompletionSteps(Protocol):
    @step(
        reason="records the delivery; a goal is complete only after all of its downloads have delivered",
        start_to_close_timeout=_DATABASE_TIMEOUT,
        maximum_attempts=OUTAGE_ATTEMPTS,
        local=True,
    )
    async def check_and_mark_download_complete(self, batch: ClipBatch) -> bool: ...


class GoalProofSteps(Protocol):
    @step(
        reason="one read, and a write for each goal whose clips may be another's; a new goal is searched only after it",
        start_to_close_timeout=_DATABASE_TIMEOUT,
        maximum_attempts=OUTAGE_ATTEMPTS,
        local=True,
    )
    async def rejudge_match_clips(self, goal: Goal) -> bool: ...
