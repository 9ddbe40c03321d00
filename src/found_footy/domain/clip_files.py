"""The objects that are stored for a clip: the file itself and what is made from it, all named by the file's MD5.

Everything that copies, deletes, checks or serves objects of clips goes through this table, so that another object
beside a clip is a row here, a field of `UploadedClip`, and the code that makes it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ClipObject:
    """One kind of object of a clip.

    `key_field` is the field of the clip's record that names the object. An object that `outlives_file` is kept when
    another copy of the recording replaces the file; one that `is_public` is served to visitors.
    """

    name: str
    suffix: str
    key_field: str
    content_type: str
    is_public: bool = True
    outlives_file: bool = False

    def key(self, fixture_id: int, event_id: str, md5: str) -> str:
        return f"{fixture_id}/{event_id}/{md5}{self.suffix}"

    def key_beside(self, video_key: str) -> str:
        """Key of this object of the file with this key, in a goal's folder or in the scratch area."""
        return key_stem(video_key) + self.suffix


VIDEO = ClipObject("video", ".mp4", "_s3_key", "video/mp4")
THUMBNAIL = ClipObject("thumbnail", ".jpg", "thumbnail_key", "image/jpeg")
# A short silent loop, small enough to play in a list of clips.
PREVIEW = ClipObject("preview", ".preview.mp4", "preview_key", "video/mp4")
# About 1 kB per second of video, too much for the fixture document. Copies that lost are recognized by theirs.
FINGERPRINT = ClipObject(
    "fingerprint", ".print", "fingerprint_key", "application/octet-stream", is_public=False, outlives_file=True
)

CLIP_OBJECTS = (VIDEO, THUMBNAIL, PREVIEW, FINGERPRINT)
SIDE_OBJECTS = tuple(kind for kind in CLIP_OBJECTS if kind is not VIDEO)
# What is moved to the trash when another copy replaces the file.
REPLACED_OBJECTS = tuple(kind for kind in CLIP_OBJECTS if not kind.outlives_file)
PUBLIC_OBJECTS = tuple(kind for kind in CLIP_OBJECTS if kind.is_public)

# The copies of a clip's recording; those that lost have no object but their fingerprint.
COPIES_FIELD = "_members"
# Paths, from a clip's record, of all fields that name objects.
KEY_FIELD_PATHS = (*(kind.key_field for kind in CLIP_OBJECTS), f"{COPIES_FIELD}.{FINGERPRINT.key_field}")


def key_stem(key: str) -> str:
    """Return a key without its suffix: what the keys of all objects of one file have in common."""
    folder, slash, name = key.rpartition("/")
    return folder + slash + name.partition(".")[0]


def list_named_keys(clip: Mapping[str, Any]) -> frozenset[str]:
    """Return every key that a clip's record names."""
    keys = {clip.get(kind.key_field) for kind in CLIP_OBJECTS}
    keys |= {copy.get(FINGERPRINT.key_field) for copy in clip.get(COPIES_FIELD) or ()}
    return frozenset(key for key in keys if isinstance(key, str) and key)


def list_object_keys(clip: Mapping[str, Any]) -> frozenset[str]:
    """Return every key that a clip's record names, and the keys of all kinds of objects of its file."""
    video = clip.get(VIDEO.key_field)
    return list_named_keys(clip) | (list_file_keys(video) if video else frozenset())


def list_file_keys(video_key: str) -> frozenset[str]:
    """Return the keys of all kinds of objects of the file with this key."""
    return frozenset(kind.key_beside(video_key) for kind in CLIP_OBJECTS)
