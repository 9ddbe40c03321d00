"""What must be true of each name after an afternoon, told by its story alone. Pure."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import md5

from found_footy_sim.uploads.afternoon import (
    DELETING_ACTIONS,
    STORING_ACTIONS,
    Action,
    ActionKind,
    Story,
    StoryKind,
    UploadFile,
)

FileLabels = Mapping[UploadFile, frozenset[str]]


@dataclass(frozen=True)
class ExpectedUpload:
    """The end of one name.

    `etag` is that of the version that is stored at the end, None if there is none; `labels` are right for it, none for
    a file that must be refused. `needs_row`: a row must be there, as a tombstone if nothing is stored. `is_told`: the
    product was told about the last version. `is_refused_by_api`: the upload must be answered by an error.
    `stored_times` says by ETag how often a version came to be the stored one, which is how often it may be classified.
    """

    name: str
    story: str
    etag: str | None
    labels: frozenset[str]
    needs_row: bool
    is_told: bool
    is_hostile: bool
    is_refused_by_api: bool
    stored_times: Mapping[str, int]


def expect_upload(story: Story, labels: FileLabels, max_bytes: int) -> ExpectedUpload:
    is_refused = story.kind is StoryKind.TOO_LARGE_FOR_API
    changes = [] if is_refused else [one for one in story.actions if one.kind in (*STORING_ACTIONS, *DELETING_ACTIONS)]
    last = changes[-1].file if changes else None
    is_hostile = any(action.file is not None and action.file.is_hostile for action in story.actions)
    return ExpectedUpload(
        name=story.name,
        story=story.kind.value,
        etag=compute_etag(last.build(max_bytes)) if last else None,
        labels=frozenset() if last is None or last.is_hostile else labels[last],
        needs_row=last is not None or any(action.kind is ActionKind.SETTLE for action in story.actions),
        is_told=last is not None and _is_told(story.actions),
        is_hostile=is_hostile,
        is_refused_by_api=is_refused,
        stored_times=_count_stored_times(changes, max_bytes),
    )


def compute_etag(data: bytes) -> str:
    """The ETag of an object that was stored by one request."""
    return md5(data, usedforsecurity=False).hexdigest()


def _is_told(actions: tuple[Action, ...]) -> bool:
    """Whether the last action that stores something tells the product, or a notification follows it."""
    last = max(place for place, action in enumerate(actions) if action.kind in STORING_ACTIONS)
    return actions[last].kind is ActionKind.UPLOAD or any(
        action.kind is ActionKind.TELL_CREATED for action in actions[last:]
    )


def _count_stored_times(changes: list[Action], max_bytes: int) -> dict[str, int]:
    """The same version stored again over itself is not stored again."""
    counts: Counter[str] = Counter()
    current: UploadFile | None = None
    for change in changes:
        if change.file is not None and change.file != current:
            counts[compute_etag(change.file.build(max_bytes))] += 1
        current = change.file
    return dict(counts)
