"""What stage four's workflow and activities say to each other."""

from dataclasses import dataclass
from datetime import datetime

from found_footy.model.handoff import Goal, ScreenedClip
from found_footy.model.outcome import ClipOutcome


@dataclass(frozen=True)
class Sample:
    """A file to be compared: what it is called, and where its fingerprint lies. `spare_key` is tried after the first.

    `known` says that it is stored already, so nobody has to ask whether it may be.
    """

    name: str
    print_key: str
    hash_version: str
    verified: bool = False
    spare_key: str = ""
    known: bool = True


@dataclass(frozen=True)
class StoredClip:
    """`members` are all files that the clip was found as; `uncompared` names those that came from another goal and have
    not met the others yet.
    """

    clip_id: str
    md5: str
    members: tuple[Sample, ...] = ()
    uncompared: tuple[str, ...] = ()

    @property
    def md5s(self) -> frozenset[str]:
        return frozenset((self.md5, *(member.name for member in self.members)))


@dataclass(frozen=True)
class EventData:
    """What the archive has of a goal already, and of the other goals of the match."""

    exists: bool
    clips: tuple[StoredClip, ...] = ()
    others: tuple[Sample, ...] = ()


@dataclass(frozen=True)
class CompareClips:
    clips: tuple[ScreenedClip, ...]
    stored: tuple[StoredClip, ...]


@dataclass(frozen=True)
class ComparePool:
    """Find everything in `corpus` that shows the same as one of `asked`."""

    goal: Goal
    asked: tuple[Sample, ...]
    corpus: tuple[Sample, ...]


@dataclass(frozen=True)
class MatchedPair:
    """Two files that show the same, and how sure that is."""

    one: str
    other: str
    score: float = 1.0
    evidence: str = ""


@dataclass(frozen=True)
class Refused:
    """A clip that is not kept, and why. `alike` is the fingerprint of the clip sent away that it looks like."""

    md5: str
    outcome: ClipOutcome
    reason: str
    source_url: str = ""
    alike: str = ""


@dataclass(frozen=True)
class Matches:
    """What comparing a pool has found: pairs, clips that people have sent away, and fingerprints nobody can read. `met`
    names the fingerprints of clips sent away that the pool was compared with.
    """

    pairs: tuple[MatchedPair, ...] = ()
    refused: tuple[Refused, ...] = ()
    unreadable: tuple[str, ...] = ()
    met: tuple[str, ...] = ()


@dataclass(frozen=True)
class Join:
    """One more place where a clip with these bytes was found."""

    md5: str
    source_url: str
    verified: bool = False
    minute: int | None = None


@dataclass(frozen=True)
class Flag:
    """The file shows the same as a clip of another goal."""

    md5: str
    event_id: str
    clip_id: str


@dataclass(frozen=True)
class PlanBatch:
    goal: Goal
    clips: tuple[ScreenedClip, ...]
    pairs: tuple[MatchedPair, ...] = ()
    refused: tuple[Refused, ...] = ()


@dataclass(frozen=True)
class Plan:
    """What to do with a batch: clips to keep, and finds to join to clips that are kept or stored.

    Of the clips in `beside` only the fingerprint is kept: another file of the same recording is better. `obsolete` are
    the keys of objects that nothing refers to once the plan is carried out.
    """

    keep: tuple[ScreenedClip, ...] = ()
    join: tuple[Join, ...] = ()
    beside: tuple[ScreenedClip, ...] = ()
    refused: tuple[Refused, ...] = ()
    flags: tuple[Flag, ...] = ()
    obsolete: tuple[str, ...] = ()


@dataclass(frozen=True)
class UploadClip:
    goal: Goal
    clip: ScreenedClip
    print_only: bool = False


@dataclass(frozen=True)
class Uploaded:
    """Where a kept clip lies now; without a key, only its fingerprint was wanted. `lost` says why it lies nowhere."""

    clip: ScreenedClip
    key: str = ""
    thumbnail_key: str = ""
    stored_at: datetime | None = None
    lost: str = ""
    preview_key: str = ""
    print_key: str = ""


@dataclass(frozen=True)
class SaveClips:
    """`compared` are the MD5s that the clips of this batch were compared with, and among each other; `met` are the
    fingerprints of clips sent away that they were compared with.
    """

    goal: Goal
    download_id: str
    uploaded: tuple[Uploaded, ...] = ()
    join: tuple[Join, ...] = ()
    pairs: tuple[MatchedPair, ...] = ()
    compared: tuple[str, ...] = ()
    refused: tuple[Refused, ...] = ()
    flags: tuple[Flag, ...] = ()
    met: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReplaceObjects:
    """Objects that a better copy has taken the place of. They are deleted unless something refers to them."""

    goal: Goal
    keys: tuple[str, ...]


@dataclass(frozen=True)
class CleanUpFiles:
    keys: tuple[str, ...]


@dataclass(frozen=True)
class UploadEnded:
    """The result of UploadWorkflow."""

    batches: int
    failed_batches: int = 0
    event_removed: bool = False
