"""What the nightly sweep and its activities say to each other."""

from dataclasses import dataclass
from datetime import timedelta

SWEEP_WORKFLOW = "SweepWorkflow"
SWEEP_SCHEDULE = "sweep-nightly"
SWEEP_SCHEDULED = "sweep-scheduled"


@dataclass(frozen=True)
class SweepRequest:
    """How old something must be before it is swept. `trash_retention` is how long the trash is kept for a last look."""

    orphan_grace: timedelta = timedelta(hours=24)
    scratch_grace: timedelta = timedelta(hours=24)
    scratch_limit: timedelta = timedelta(days=7)
    trash_retention: timedelta = timedelta(hours=1)


@dataclass(frozen=True)
class EmptyTrash:
    trash_retention: timedelta


@dataclass(frozen=True)
class SweepResult:
    """Objects moved to the trash, scratch files deleted, decisions finished and enforced, and what became of the
    trash. `held_back` are objects that were left because so many belong to no record.
    """

    orphans: int = 0
    scratch: int = 0
    resumed: int = 0
    enforced: int = 0
    deleted: int = 0
    restored: int = 0
    held_back: int = 0
