"""Messages of stage three's workflow and activities."""

from dataclasses import dataclass

from found_footy.domain.messages import ClipBatch, ClipCandidate, Goal
from found_footy.domain.outcomes import ClipOutcome, RetryAdvice, TimestampStatus
from found_footy.domain.proof import ClipProof


@dataclass(frozen=True)
class RegisterDownload:
    goal: Goal
    download_id: str


@dataclass(frozen=True)
class FetchCandidate:
    goal: Goal
    candidate: ClipCandidate


@dataclass(frozen=True)
class ClipFile:
    """A clip that was fetched, meets the screening rules, and is in the scratch area, where every worker can
    read it.
    """

    md5: str
    scratch_key: str
    source_url: str
    width: int
    height: int
    duration: float
    file_size: int
    bitrate: int
    fps: float


@dataclass(frozen=True)
class FrameEvidence:
    """The reading of one frame; texts are as printed in it, None is unknown. `picture` is the key of a small copy of
    the frame; `is_confirmed` says whether the reader has seen its clock run.
    """

    at: float
    soccer: bool | None = None
    screen: bool | None = None
    clock: str | None = None
    added: str | None = None
    stoppage_clock: str | None = None
    note: str = ""
    picture: str = ""
    teams: str | None = None
    score: str | None = None
    is_confirmed: bool | None = None


@dataclass(frozen=True)
class CheckEvidence:
    """The basis of a verdict: the expected minute, the readings, what they prove, and the rule and figures that
    decided.
    """

    reader: str
    expected: str
    rule: str
    frames: tuple[FrameEvidence, ...] = ()
    notes: tuple[str, ...] = ()
    proof: ClipProof | None = None


@dataclass(frozen=True)
class CandidateNote:
    """The result for one candidate. Without an outcome it was delivered, and the archive decides. `retry` is set where
    the outcome alone does not determine whether a retry may help.
    """

    source_url: str
    outcome: ClipOutcome | None = None
    reason: str = ""
    md5: str = ""
    evidence: CheckEvidence | None = None
    retry: RetryAdvice | None = None


@dataclass(frozen=True)
class ClipFetchResult:
    """Either a file, or the note with the reason why there is none."""

    clip: ClipFile | None = None
    note: CandidateNote | None = None


@dataclass(frozen=True)
class CheckClip:
    goal: Goal
    clip: ClipFile


@dataclass(frozen=True)
class CheckResult:
    """The result of checking a clip; `rejected` is set for a rejection. `reader` names the reader."""

    reader: str
    timestamp_status: TimestampStatus
    extracted_minute: int | None = None
    rejected: ClipOutcome | None = None
    reason: str = ""
    evidence: CheckEvidence | None = None


@dataclass(frozen=True)
class ClipFingerprint:
    hash_version: str = ""
    perceptual_hash: str = ""


@dataclass(frozen=True)
class QueueClips:
    """Without `deliver` only the notes are stored: the goal was removed, and with it its archive."""

    batch: ClipBatch
    notes: tuple[CandidateNote, ...] = ()
    deliver: bool = True


@dataclass(frozen=True)
class CleanUpDownload:
    goal: Goal
    source_urls: tuple[str, ...]


@dataclass(frozen=True)
class DownloadResult:
    """DownloadWorkflow's result."""

    found: int
    accepted: int
    event_removed: bool = False
