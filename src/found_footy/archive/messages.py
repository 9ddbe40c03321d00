"""What stage four's workflow and activities say to each other."""

from dataclasses import dataclass
from datetime import datetime

from found_footy.domain.messages import Goal, ScreenedClip
from found_footy.domain.outcomes import ClipOutcome


@dataclass(frozen=True)
class FingerprintRef:
    """A file to be compared: what it is called, and where its fingerprint lies. `fallback_key` is tried after the
    first.

    `stored` says that it is stored already, so nobody has to ask whether it may be.
    """

    name: str
    fingerprint_key: str
    hash_version: str
    verified: bool = False
    fallback_key: str = ""
    stored: bool = True


@dataclass(frozen=True)
class StoredClip:
    """`copies` are all files that the clip was found as; `uncompared` names those that came from another goal and have
    not met the others yet.
    """

    clip_id: str
    md5: str
    copies: tuple[FingerprintRef, ...] = ()
    uncompared: tuple[str, ...] = ()

    @property
    def md5s(self) -> frozenset[str]:
        return frozenset((self.md5, *(copy.name for copy in self.copies)))


@dataclass(frozen=True)
class GoalArchiveSummary:
    """What the archive has of a goal already, and of the other goals of the match."""

    exists: bool
    clips: tuple[StoredClip, ...] = ()
    other_goal_files: tuple[FingerprintRef, ...] = ()


@dataclass(frozen=True)
class CompareClips:
    clips: tuple[ScreenedClip, ...]
    stored: tuple[StoredClip, ...]


@dataclass(frozen=True)
class ComparePool:
    """Find everything in `corpus` that shows the same as one of `queries`."""

    goal: Goal
    queries: tuple[FingerprintRef, ...]
    corpus: tuple[FingerprintRef, ...]


@dataclass(frozen=True)
class MatchedPair:
    """Two files that show the same, and how sure that is."""

    one: str
    other: str
    score: float = 1.0
    evidence: str = ""


@dataclass(frozen=True)
class RejectedClip:
    """A clip that is not kept, and why. `matched_block_key` is the fingerprint of the clip sent away that it looks
    like.
    """

    md5: str
    outcome: ClipOutcome
    reason: str
    source_url: str = ""
    matched_block_key: str = ""


@dataclass(frozen=True)
class PoolMatches:
    """What comparing a pool has found: pairs, clips that people have sent away, and fingerprints nobody can read.
    `compared_block_keys` names the fingerprints of clips sent away that the pool was compared with.
    """

    pairs: tuple[MatchedPair, ...] = ()
    rejected: tuple[RejectedClip, ...] = ()
    unreadable: tuple[str, ...] = ()
    compared_block_keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExtraSource:
    """One more place where a clip with these bytes was found."""

    md5: str
    source_url: str
    verified: bool = False
    minute: int | None = None


@dataclass(frozen=True)
class CrossGoalFlag:
    """The file shows the same as a clip of another goal."""

    md5: str
    event_id: str
    clip_id: str


@dataclass(frozen=True)
class PlanUploads:
    goal: Goal
    clips: tuple[ScreenedClip, ...]
    pairs: tuple[MatchedPair, ...] = ()
    rejected: tuple[RejectedClip, ...] = ()


@dataclass(frozen=True)
class UploadPlan:
    """What to do with a batch: clips to keep, and finds to join to clips that are kept or stored.

    Of the clips in `fingerprint_only` only the fingerprint is kept: another file of the same recording is better.
    `obsolete_keys` are the keys of objects that nothing refers to once the plan is carried out.
    """

    uploads: tuple[ScreenedClip, ...] = ()
    extra_sources: tuple[ExtraSource, ...] = ()
    fingerprint_only: tuple[ScreenedClip, ...] = ()
    rejected: tuple[RejectedClip, ...] = ()
    flags: tuple[CrossGoalFlag, ...] = ()
    obsolete_keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class UploadClip:
    goal: Goal
    clip: ScreenedClip
    fingerprint_only: bool = False


@dataclass(frozen=True)
class UploadedClip:
    """Where a kept clip lies now; without a key, only its fingerprint was wanted. `missing_reason` says why it lies
    nowhere.
    """

    clip: ScreenedClip
    key: str = ""
    thumbnail_key: str = ""
    stored_at: datetime | None = None
    missing_reason: str = ""
    preview_key: str = ""
    fingerprint_key: str = ""


@dataclass(frozen=True)
class SaveClips:
    """`compared_md5s` are the MD5s that the clips of this batch were compared with, and among each other;
    `compared_block_keys` are the fingerprints of clips sent away that they were compared with.
    """

    goal: Goal
    download_id: str
    uploaded: tuple[UploadedClip, ...] = ()
    extra_sources: tuple[ExtraSource, ...] = ()
    pairs: tuple[MatchedPair, ...] = ()
    compared_md5s: tuple[str, ...] = ()
    rejected: tuple[RejectedClip, ...] = ()
    flags: tuple[CrossGoalFlag, ...] = ()
    compared_block_keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReplaceObjects:
    """Objects that a better copy has taken the place of. They are deleted unless something refers to them."""

    goal: Goal
    keys: tuple[str, ...]


@dataclass(frozen=True)
class CleanUpFiles:
    keys: tuple[str, ...]


@dataclass(frozen=True)
class UploadResult:
    """The result of UploadWorkflow."""

    batches: int
    failed_batches: int = 0
    event_removed: bool = False
