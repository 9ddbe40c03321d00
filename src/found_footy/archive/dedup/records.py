"""Builds the record of a stored clip."""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from typing import Any

from found_footy.archive.dedup.copies import ClipCopy, copy_document
from found_footy.archive.messages import UploadedClip
from found_footy.domain.clip_files import CLIP_OBJECTS, COPIES_FIELD
from found_footy.domain.ids import minute_label
from found_footy.domain.messages import Goal
from found_footy.domain.outcomes import TimestampStatus
from found_footy.domain.proof import ClipProof
from found_footy.domain.ranking import TITLE_CONFIRMED_FIELD

ClipRecord = dict[str, Any]


def make_clip_id(event_id: str, md5: str, taken: Collection[str] = ()) -> str:
    """The public id of a clip first stored with these bytes. Derived from them, so that a retry gives the same id.

    An id in `taken` belongs to another clip that once had these bytes.
    """
    number, given = 0, ""
    while not given or given in taken:
        salt = f":{number}" if number else ""
        given = hashlib.sha256(f"{event_id}:{md5}{salt}".encode()).hexdigest()[:20]
        number += 1
    return given


def build_clip_record(goal: Goal, uploaded: UploadedClip, bucket: str) -> ClipRecord:
    """The clip's entry in the goal's document. Sources, popularity and rank are added when it is written."""
    clip = uploaded.clip
    return {
        "clip_id": make_clip_id(goal.event_id, clip.md5),
        "s3_url": f"s3://{bucket}/{uploaded.key}",
        **{kind.key_field: uploaded.key_of(kind) or None for kind in CLIP_OBJECTS},
        "md5": clip.md5,
        "perceptual_hash": clip.perceptual_hash,
        "hash_version": clip.hash_version,
        "width": clip.width,
        "height": clip.height,
        "aspect_ratio": round(clip.width / clip.height, 4),
        "resolution_score": clip.width * clip.height,
        "file_size": clip.file_size,
        "duration": clip.duration,
        "bitrate": clip.bitrate,
        "fps": clip.fps,
        "source_url": clip.source_url,
        **timestamp_fields(clip.timestamp_status, clip.extracted_minute),
        "proof": proof_document(clip.proof),
        "post_doubts": clip.post_doubts,
        "added_at": uploaded.stored_at,
        "_sources": [],
    }


def timestamp_fields(status: TimestampStatus, minute: int | None) -> ClipRecord:
    return {
        "timestamp_status": status.value,
        "timestamp_verified": status is TimestampStatus.VERIFIED,
        "extracted_minute": minute,
    }


def proof_document(proof: ClipProof | None) -> dict[str, str] | None:
    return None if proof is None else {name: str(value) for name, value in asdict(proof).items()}


def copies_fields(copies: Iterable[ClipCopy]) -> ClipRecord:
    """The record's fields about all copies of the clip."""
    ordered = sorted(copies, key=lambda copy: copy.md5)
    sources = sorted({source for copy in ordered for source in copy.sources})
    return {
        "_sources": sources,
        "popularity": len(sources),
        "_md5s": [copy.md5 for copy in ordered],
        COPIES_FIELD: [copy_document(copy) for copy in ordered],
    }


def witness_fields(copies: Iterable[ClipCopy], witnesses: Mapping[str, str]) -> ClipRecord:
    """Why the title of a post confirms the goal, if one under which a copy was found does; a clip keeps it."""
    sources = sorted({source for copy in copies for source in copy.sources})
    witness = next((witnesses[source] for source in sources if source in witnesses), "")
    return {TITLE_CONFIRMED_FIELD: True, "witness": witness} if witness else {}


def object_metadata(goal: Goal) -> dict[str, str]:
    """Metadata stored with the object, to identify it without the database."""
    return {
        "player": goal.player_name,
        "team": goal.team_name,
        "event-id": goal.event_id,
        "fixture-id": str(goal.fixture_id),
        "minute": minute_label(goal.elapsed, goal.extra),
    }
