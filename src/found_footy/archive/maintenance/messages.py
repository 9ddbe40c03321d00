"""Messages of the nightly sweep's workflow and activities."""

from dataclasses import dataclass
from datetime import timedelta

SWEEP_WORKFLOW = "SweepWorkflow"
SWEEP_SCHEDULE = "sweep-nightly"
SWEEP_SCHEDULED = "sweep-scheduled"


@dataclass(frozen=True)
class SweepRequest:
    """How old an object must be before it is swept. `trash_retention` is how long it stays in the trash before the
    final check.
    """

    orphan_grace: timedelta = timedelta(hours=24)
    scratch_grace: timedelta = timedelta(hours=24)
    scratch_limit: timedelta = timedelta(days=7)
    trash_retention: timedelta = timedelta(hours=1)


@dataclass(frozen=True)
class EmptyTrash:
    trash_retention: timedelta


@dataclass(frozen=True)
class SweepResult:
    """Counts: objects moved to the trash, scratch files deleted, moderation actions resumed and blocks enforced, trash
    deleted and restored. `held_back` are orphans that were left because there were suspiciously many.
    """

    orphans: int = 0
    scratch: int = 0
    resumed: int = 0
    enforced: int = 0
    deleted: int = 0
    restored: int = 0
    held_back: int = 0
