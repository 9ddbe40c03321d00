"""What stage four's workflow and activities say to each other."""

from dataclasses import dataclass
from datetime import datetime

from found_footy.model.handoff import Goal, ScreenedClip


@dataclass(frozen=True)
class StoredClip:
    clip_id: str
    md5: str


@dataclass(frozen=True)
class EventData:
    """What the archive has of a goal already."""

    exists: bool
    clips: tuple[StoredClip, ...] = ()


@dataclass(frozen=True)
class CompareClips:
    clips: tuple[ScreenedClip, ...]
    stored: tuple[StoredClip, ...]


@dataclass(frozen=True)
class Join:
    """One more place where a clip with these bytes was found."""

    md5: str
    source_url: str


@dataclass(frozen=True)
class Plan:
    """What to do with a batch: clips to keep, and finds to join to clips that are kept or stored."""

    keep: tuple[ScreenedClip, ...] = ()
    join: tuple[Join, ...] = ()


@dataclass(frozen=True)
class UploadClip:
    goal: Goal
    clip: ScreenedClip


@dataclass(frozen=True)
class Uploaded:
    """Where a kept clip lies now. `lost` says why it lies nowhere."""

    clip: ScreenedClip
    key: str = ""
    thumbnail_key: str = ""
    stored_at: datetime | None = None
    lost: str = ""


@dataclass(frozen=True)
class SaveClips:
    goal: Goal
    download_id: str
    uploaded: tuple[Uploaded, ...] = ()
    join: tuple[Join, ...] = ()


@dataclass(frozen=True)
class CleanUpFiles:
    keys: tuple[str, ...]


@dataclass(frozen=True)
class UploadEnded:
    """The result of UploadWorkflow."""

    batches: int
    failed_batches: int = 0
    event_removed: bool = False
