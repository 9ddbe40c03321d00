"""What is written down of a stored clip."""

import hashlib
from typing import Any

from found_footy.archive.messages import Uploaded
from found_footy.model.handoff import Goal
from found_footy.model.ids import minute_label
from found_footy.model.outcome import TimestampStatus


def clip_id(event_id: str, md5: str) -> str:
    """The public id of a clip first stored with these bytes. Made from them, so that a retry gives the same."""
    return hashlib.sha256(f"{event_id}:{md5}".encode()).hexdigest()[:20]


def clip_record(goal: Goal, uploaded: Uploaded, bucket: str) -> dict[str, Any]:
    """The clip as the goal's document has it. Sources, popularity and rank are added where it is written."""
    clip = uploaded.clip
    return {
        "clip_id": clip_id(goal.event_id, clip.md5),
        "s3_url": f"s3://{bucket}/{uploaded.key}",
        "_s3_key": uploaded.key,
        "thumbnail_key": uploaded.thumbnail_key or None,
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
        "timestamp_status": clip.timestamp_status.value,
        "timestamp_verified": clip.timestamp_status is TimestampStatus.VERIFIED,
        "extracted_minute": clip.extracted_minute,
        "added_at": uploaded.stored_at,
        "_sources": [],
    }


def object_metadata(goal: Goal) -> dict[str, str]:
    """What the object itself tells, for whoever meets it without the database."""
    return {
        "player": goal.player_name,
        "team": goal.team_name,
        "event-id": goal.event_id,
        "fixture-id": str(goal.fixture_id),
        "minute": minute_label(goal.elapsed, goal.extra),
    }
