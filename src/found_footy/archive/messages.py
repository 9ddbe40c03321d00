"""Messages of stage four's workflow and activities."""

from dataclasses import dataclass
from datetime import datetime

from found_footy.domain.clip_files import VIDEO, ClipObject
from found_footy.domain.messages import Goal, ScreenedClip
from found_footy.domain.outcomes import ClipOutcome
from found_footy.domain.proof import ClipProof


@dataclass(frozen=True)
class FingerprintRef:
    """A file to be compared: its name and the key of its fingerprint. `fallback_key` is read if the first key is
    missing.

    `stored` means that it is stored already, so that it is not checked against the blocks.
    """

    name: str
    fingerprint_key: str
    hash_version: str
    verified: bool = False
    fallback_key: str = ""
    stored: bool = True


@dataclass(frozen=True)
class StoredClip:
    """`copies` are all files of the clip's recording; `uncompared` are the MD5s of those that came from another goal
    and were not compared with the others yet.
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
    """The stored clips of a goal, and the files of the other goals of the fixture."""

    exists: bool
    clips: tuple[StoredClip, ...] = ()
    other_goal_files: tuple[FingerprintRef, ...] = ()


@dataclass(frozen=True)
class ComparePool:
    """Find everything in `corpus` that matches one of `queries`."""

    goal: Goal
    queries: tuple[FingerprintRef, ...]
    corpus: tuple[FingerprintRef, ...]


@dataclass(frozen=True)
class MatchedPair:
    """Two files that show the same, with the score of the match."""

    one: str
    other: str
    score: float = 1.0
    evidence: str = ""


@dataclass(frozen=True)
class RejectedClip:
    """A clip that is not stored, and why. `matched_block_key` is the fingerprint of the blocked clip that it
    matches.
    """

    md5: str
    outcome: ClipOutcome
    reason: str
    source_url: str = ""
    matched_block_key: str = ""


@dataclass(frozen=True)
class PoolMatches:
    """The result of comparing a pool: pairs, rejected clips that match a block, and unreadable fingerprints.
    `compared_block_keys` are the fingerprints of blocked clips that the pool was compared with.
    """

    pairs: tuple[MatchedPair, ...] = ()
    rejected: tuple[RejectedClip, ...] = ()
    unreadable: tuple[str, ...] = ()
    compared_block_keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExtraSource:
    """A further source of a clip with these bytes."""

    md5: str
    source_url: str
    verified: bool = False
    minute: int | None = None
    proof: ClipProof | None = None


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
    """What to do with a batch: clips to upload, and extra sources of clips that are uploaded or stored.

    Of the clips in `fingerprint_only` only the fingerprint is stored: another file of the same recording is better.
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
    """The keys of an uploaded clip; without `key`, only its fingerprint was copied. `missing_reason` says why the clip
    could not be copied.
    """

    clip: ScreenedClip
    key: str = ""
    thumbnail_key: str = ""
    stored_at: datetime | None = None
    missing_reason: str = ""
    preview_key: str = ""
    fingerprint_key: str = ""

    def key_of(self, kind: ClipObject) -> str:
        return self.key if kind is VIDEO else str(getattr(self, kind.key_field))


@dataclass(frozen=True)
class SaveClips:
    """`compared_md5s` are the MD5s that the clips of this batch were compared with, including each other;
    `compared_block_keys` are the fingerprints of blocked clips that they were compared with.
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
    """Objects that a better copy has replaced. They move to the trash unless something refers to them."""

    goal: Goal
    keys: tuple[str, ...]


@dataclass(frozen=True)
class CleanUpFiles:
    keys: tuple[str, ...]


@dataclass(frozen=True)
class UploadResult:
    """UploadWorkflow's result."""

    batches: int
    failed_batches: int = 0
    event_removed: bool = False
