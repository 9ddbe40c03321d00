"""The figures of an organization's afternoon: what its rows show, compared with what its stories demand. Pure."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from found_footy_sim.scorecard.costs import InjectedFault
from found_footy_sim.scorecard.distribution import Distribution, compute_distribution
from found_footy_sim.uploads.expectations import ExpectedUpload

_CLASSIFIED, _FAILED = "classified", "failed"
_WORKFLOW_PREFIX = "imgcls_"
_MIN_SENTENCE, _MAX_SENTENCE = 10, 300
# Words of programs, which no sentence for people contains.
_TECHNICAL_WORDS = ("Traceback", "Error", "Exception", "errno", "0x", "/tmp", "127.0.0.1", "None", "{")  # noqa: S108


@dataclass(frozen=True)
class ObservedUpload:
    """The row of one name."""

    name: str
    etag: str
    status: str
    label: str
    error: str
    is_deleted: bool
    completed_at: datetime | None


@dataclass(frozen=True)
class ApiRefusal:
    status: int
    detail: str


@dataclass(frozen=True)
class ObservedAfternoon:
    """What the product has after an afternoon: its rows, the runs of every workflow, the parked notifications; and what
    its clients saw.
    """

    rows: Sequence[ObservedUpload]
    runs: Mapping[str, int]
    parked: int
    refusals: Mapping[str, ApiRefusal] = field(default_factory=dict)
    sent_at: Mapping[tuple[str, str], datetime] = field(default_factory=dict)
    internal_errors: int = 0
    wall_seconds: float = 0.0


@dataclass(frozen=True)
class AfternoonConditions:
    seed: int
    organization_id: str
    malformed: int
    chaos: bool = False


@dataclass(frozen=True)
class UploadRow:
    """One name. `seconds` run from sending its last version to its classification; `runs` are those of all its
    versions, `allowed_runs` how often these were stored.
    """

    name: str
    story: str
    wanted: str
    got: str
    is_right: bool
    is_lost: bool
    runs: int
    allowed_runs: int
    seconds: float | None


@dataclass(frozen=True)
class UploadsCard:
    """`live` are the pictures that are stored at the end, `deleted` the names that have none, `hostile` the files that
    must be refused. `doubled` are runs of workflows beyond those that the versions demand.
    """

    conditions: AfternoonConditions
    live: int
    right: int
    deleted: int
    deleted_right: int
    hostile: int
    refused: int
    lost: int
    versions: int
    classified_once: int
    repeated: int
    doubled: int
    malformed: int
    parked: int
    internal_errors: int
    classified: Distribution
    found: Distribution
    wall_seconds: float
    faults: tuple[InjectedFault, ...]
    rows: tuple[UploadRow, ...]


def build_uploads_card(
    expected: Sequence[ExpectedUpload],
    observed: ObservedAfternoon,
    conditions: AfternoonConditions,
    faults: Sequence[InjectedFault] = (),
) -> UploadsCard:
    """`classified` holds the times of images that the product was told of, `found` those of images it had to find."""
    by_name = {row.name: row for row in observed.rows}
    pairs = [(one, _build_row(one, by_name.get(one.name), observed, conditions)) for one in expected]
    allowed = _allowed_runs(expected, conditions)
    once = [key for key, count in allowed.items() if count == 1]
    return UploadsCard(
        conditions=conditions,
        live=sum(_is_live(one) for one, _ in pairs),
        right=sum(row.is_right for one, row in pairs if _is_live(one)),
        deleted=sum(_is_deleted(one) for one, _ in pairs),
        deleted_right=sum(row.is_right for one, row in pairs if _is_deleted(one)),
        hostile=sum(one.is_hostile for one, _ in pairs),
        refused=sum(row.is_right for one, row in pairs if one.is_hostile),
        lost=sum(row.is_lost for _, row in pairs),
        versions=sum(observed.runs.get(key, 0) > 0 for key in allowed),
        classified_once=sum(observed.runs.get(key, 0) == 1 for key in once),
        repeated=sum(max(0, observed.runs.get(key, 0) - 1) for key, count in allowed.items() if count > 1),
        doubled=sum(max(0, runs - allowed.get(key, 0)) for key, runs in observed.runs.items()),
        malformed=conditions.malformed,
        parked=observed.parked,
        internal_errors=observed.internal_errors,
        classified=compute_distribution(r.seconds for one, r in pairs if one.is_told and r.seconds is not None),
        found=compute_distribution(r.seconds for one, r in pairs if not one.is_told and r.seconds is not None),
        wall_seconds=observed.wall_seconds,
        faults=tuple(faults),
        rows=tuple(row for _, row in pairs),
    )


def is_settled(expected: ExpectedUpload, row: ObservedUpload | None) -> bool:
    """Whether the row shows the end of its story, right or wrong labels aside."""
    if expected.etag is None:
        return (not expected.needs_row) if row is None else row.is_deleted
    return row is not None and not row.is_deleted and row.etag == expected.etag and row.status in (_CLASSIFIED, _FAILED)


def is_readable(sentence: str) -> bool:
    """Whether it is a sentence for people."""
    is_sentence = sentence[:1].isupper() and sentence.endswith(".") and _MIN_SENTENCE <= len(sentence) <= _MAX_SENTENCE
    return is_sentence and not any(word in sentence for word in _TECHNICAL_WORDS)


def _is_live(expected: ExpectedUpload) -> bool:
    return expected.etag is not None and not expected.is_hostile


def _is_deleted(expected: ExpectedUpload) -> bool:
    return expected.etag is None and not expected.is_hostile


def _build_row(
    expected: ExpectedUpload, row: ObservedUpload | None, observed: ObservedAfternoon, conditions: AfternoonConditions
) -> UploadRow:
    refusal = observed.refusals.get(expected.name)
    workflows = [_workflow_id(conditions, expected.name, etag) for etag in expected.stored_times]
    sent_at = observed.sent_at.get((expected.name, expected.etag or ""))
    is_done = row is not None and row.completed_at is not None and is_settled(expected, row)
    completed_at = row.completed_at if row is not None and is_done else None
    return UploadRow(
        name=expected.name,
        story=expected.story,
        wanted=_describe_wanted(expected),
        got=_describe_got(row, refusal),
        is_right=_is_right(expected, row, refusal),
        is_lost=expected.etag is not None and not is_settled(expected, row),
        runs=sum(observed.runs.get(workflow, 0) for workflow in workflows),
        allowed_runs=sum(expected.stored_times.values()),
        seconds=round((completed_at - sent_at).total_seconds(), 2) if completed_at and sent_at else None,
    )


def _is_right(expected: ExpectedUpload, row: ObservedUpload | None, refusal: ApiRefusal | None) -> bool:
    if expected.is_refused_by_api:
        return refusal is not None and is_readable(refusal.detail) and (row is None or row.is_deleted)
    if refusal is not None or not is_settled(expected, row):
        return False
    if expected.etag is None or row is None:
        return True
    if expected.is_hostile:
        return row.status == _FAILED and is_readable(row.error)
    return row.status == _CLASSIFIED and row.label in expected.labels


def _describe_wanted(expected: ExpectedUpload) -> str:
    if expected.is_hostile:
        return "refused"
    if expected.etag is None:
        return "deleted" if expected.needs_row else "deleted, or no row"
    return " or ".join(sorted(expected.labels))


def _describe_got(row: ObservedUpload | None, refusal: ApiRefusal | None) -> str:
    if refusal is not None:
        return f"{refusal.status}: {refusal.detail}"
    if row is None:
        return "no row"
    return "deleted" if row.is_deleted else row.label or row.error or row.status


def _allowed_runs(expected: Sequence[ExpectedUpload], conditions: AfternoonConditions) -> dict[str, int]:
    return {
        _workflow_id(conditions, one.name, etag): count for one in expected for etag, count in one.stored_times.items()
    }


def _workflow_id(conditions: AfternoonConditions, name: str, etag: str) -> str:
    """Computed here and not by the product, which is being checked."""
    version = f"{conditions.organization_id}/{name}:{etag}"
    return f"{_WORKFLOW_PREFIX}{hashlib.sha256(version.encode()).hexdigest()}"
