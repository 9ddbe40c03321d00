"""Organization uploads: statuses, object keys, and the ids of an object version and of its classification."""

import hashlib
import re
import unicodedata
from enum import StrEnum

# Images of organizations are stored as {organization id}/{name}. An organization id never begins with a dot, so no
# organization can write below these prefixes, and the reconciling LIST and the notifications ignore them.
PREVIEW_PREFIX = ".previews/"
PREPARED_PREFIX = ".prepared/"
ORGANIZATION_ID_PATTERN = re.compile(r"[a-z0-9][a-z0-9-]{1,62}")
MAX_NAME_BYTES = 255


class UploadStatus(StrEnum):
    """The statuses of an upload: queued → running → classified or failed. A newer version begins at queued."""

    QUEUED = "queued"
    RUNNING = "running"
    CLASSIFIED = "classified"
    FAILED = "failed"


OPEN_STATUSES = (UploadStatus.QUEUED, UploadStatus.RUNNING)


class FailureKind(StrEnum):
    """Whose fault a failed classification is: the image's, or that of a system of ours, which is retried later."""

    IMAGE = "image"
    SYSTEM = "system"


class HistoryKind(StrEnum):
    """What happened to a name, in the history of its row."""

    STORED = "stored"
    STARTED = "started"
    CLASSIFIED = "classified"
    FAILED = "failed"
    RETRIED = "retried"
    SUPERSEDED = "superseded"
    DELETED = "deleted"


def object_key(organization_id: str, name: str) -> str:
    return f"{organization_id}/{name}"


def split_object_key(key: str) -> tuple[str, str] | None:
    """Split a key into organization id and name; None if it is not the key of an upload."""
    organization_id, slash, name = key.partition("/")
    if not slash or not is_organization_id(organization_id) or find_name_fault(name) is not None:
        return None
    return organization_id, name


def is_organization_id(text: str) -> bool:
    return ORGANIZATION_ID_PATTERN.fullmatch(text) is not None


def find_name_fault(name: str) -> str | None:
    """Say in a sentence why `name` cannot be the name of an upload; None if it can."""
    if not name:
        return "The name is empty."
    # Stores that keep objects as files take a backslash for a slash too, and "\\a" and "a" for one object.
    if "/" in name or "\\" in name:
        return "The name contains a slash or a backslash."
    if not name.strip("."):
        return "The name consists of dots only."
    if any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in name):
        return "The name contains control characters."
    if len(name.encode()) > MAX_NAME_BYTES:
        return f"The name is longer than {MAX_NAME_BYTES} bytes."
    return None


def strip_etag(etag: str) -> str:
    """Return an ETag as events have it: HTTP puts it in quotes, notifications do not."""
    return etag.strip().strip('"')


def compute_event_id(key: str, etag: str) -> str:
    """Return the id of the object version: the same for every notification about the same bytes under the same key."""
    return hashlib.sha256(f"{key}:{strip_etag(etag)}".encode()).hexdigest()


def classification_workflow_id(event_id: str) -> str:
    return f"imgcls_{event_id}"


def upload_preview_key(event_id: str) -> str:
    return f"{PREVIEW_PREFIX}{event_id}.jpg"


def prepared_image_key(event_id: str) -> str:
    """Key of the decoded image between loading and classification."""
    return f"{PREPARED_PREFIX}{event_id}"
