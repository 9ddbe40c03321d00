"""Images that wait for room do not ask for it all the time."""

import asyncio
from collections import Counter
from datetime import timedelta
from typing import Any, cast

import pytest

from found_footy.uploads import reconciliation
from found_footy.uploads.messages import IngestOutcome, ObjectEventResult
from found_footy.uploads.reconciliation import UploadReconciler, _Findings

INTERVAL = timedelta(milliseconds=5)


class OnePlace:
    """Agents with one place for a classification, which ends after an interval."""

    def __init__(self) -> None:
        self.is_free = False
        self.asked = 0
        self.started: Counter[str] = Counter()

    def for_organization(self, organization_id: str) -> "OnePlace":
        return self

    async def reconcile(self, name: str) -> IngestOutcome:
        self.asked += 1
        if not self.is_free:
            return IngestOutcome(ObjectEventResult.POSTPONED)
        self.is_free = False
        self.started[name] += 1
        return IngestOutcome(ObjectEventResult.QUEUED)

    async def free_again_and_again(self) -> None:
        while True:
            await asyncio.sleep(INTERVAL.total_seconds())
            self.is_free = True


async def test_one_image_asks_for_all_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconciliation, "_ROOM_WAIT", INTERVAL)
    agents, names = OnePlace(), [f"{number}.png" for number in range(100)]
    reconciler = UploadReconciler(cast("Any", None), cast("Any", None), cast("Any", agents))
    freeing = asyncio.create_task(agents.free_again_and_again())
    try:
        await reconciler._start_postponed(_Findings(postponed=[("acme", name) for name in names]))
    finally:
        freeing.cancel()
    assert agents.started == Counter(names)
    assert agents.asked < 10 * len(names)
