"""What stage three's workflow and activities say to each other."""

from dataclasses import dataclass

from found_footy.domain.messages import ClipBatch, ClipCandidate, Goal
from found_footy.domain.outcomes import ClipOutcome, RetryAdvice, TimestampStatus


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
    """A clip that was fetched, suits the rules, and lies in the scratch area; any worker can go on with it."""

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
    """What a reader saw in one frame; texts are as printed in it, None is unknown. `picture` is the key of a small copy
    of the frame.
    """

    at: float
    soccer: bool | None = None
    screen: bool | None = None
    clock: str | None = None
    added: str | None = None
    stoppage_clock: str | None = None
    note: str = ""
    picture: str = ""


@dataclass(frozen=True)
class CheckEvidence:
    """Why a reader said what it said: what it expected, what it saw, and the rule and figures that decided."""

    reader: str
    expected: str
    rule: str
    frames: tuple[FrameEvidence, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CandidateNote:
    """What is known of one found video. Without an outcome it was handed on, and the archive decides. `retry` is told
    where the outcome alone does not say whether another try may end otherwise.
    """

    source_url: str
    outcome: ClipOutcome | None = None
    reason: str = ""
    md5: str = ""
    evidence: CheckEvidence | None = None
    retry: RetryAdvice | None = None


@dataclass(frozen=True)
class ClipFetchResult:
    """Either a file, or the note that says why there is none."""

    clip: ClipFile | None = None
    note: CandidateNote | None = None


@dataclass(frozen=True)
class CheckClip:
    goal: Goal
    clip: ClipFile


@dataclass(frozen=True)
class CheckResult:
    """What a reader says of a clip; an outcome is a rejection. `reader` names who looked."""

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
    """Without `deliver` the notes alone are kept: the goal is gone, and its archive with it."""

    batch: ClipBatch
    notes: tuple[CandidateNote, ...] = ()
    deliver: bool = True


@dataclass(frozen=True)
class CleanUpDownload:
    goal: Goal
    source_urls: tuple[str, ...]


@dataclass(frozen=True)
class DownloadResult:
    """The result of DownloadWorkflow."""

    found: int
    accepted: int
    event_removed: bool = False
