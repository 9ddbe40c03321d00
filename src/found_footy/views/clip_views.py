"""View models of a goal's clips, built from the stored goal. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from found_footy.domain.clip_files import PREVIEW, THUMBNAIL, VIDEO
from found_footy.domain.outcomes import Finding, TimestampStatus
from found_footy.domain.ranking import stored_rank_key
from found_footy.views import phrases
from found_footy.views.field_readers import (
    Document,
    read_datetime,
    read_documents,
    read_float,
    read_int,
    read_strings,
    read_text,
)

_MAX_WITNESS_LENGTH = 200


@dataclass(frozen=True)
class ProofView:
    """What the picture shows, as printed, and what each field says about the goal: confirmed, unknown, contradicted."""

    clock: str
    half: str
    teams: str
    score: str
    minute_finding: str
    half_finding: str
    teams_finding: str
    score_finding: str

    @property
    def summary(self) -> str:
        """`clock 66:28, SEV–MCI, 0–2`; nothing if nothing was read."""
        shown = (f"clock {self.clock}" if self.clock else "", self.teams, self.score)
        return ", ".join(text for text in shown if text)


@dataclass(frozen=True)
class ClipView:
    clip_id: str
    rank: int
    url: str
    media_url: str
    poster_url: str | None
    verified: bool
    timestamp_status: str
    extracted_minute: int | None
    found_by: int
    width: int | None
    height: int | None
    resolution: str
    duration: float | None
    length: str
    file_size: int | None
    source_url: str | None
    added_at: datetime | None
    preview_url: str | None = None
    proof: ProofView | None = None
    witness: str = ""


def build_clip_views(event: Mapping[str, Any]) -> tuple[ClipView, ...]:
    """Return the clips of a goal, best first; a record without an object key is not a clip yet."""
    records = read_documents(event.get("_s3_videos"))
    stored = [clip for clip in records if read_text(clip.get(VIDEO.key_field), limit=300)]
    stored.sort(key=stored_rank_key)
    return tuple(_build_clip_view(clip, place) for place, clip in enumerate(stored, start=1))


def _build_clip_view(clip: Document, rank: int) -> ClipView:
    width, height = read_int(clip.get("width")), read_int(clip.get("height"))
    duration = read_float(clip.get("duration"))
    thumbnail = read_text(clip.get(THUMBNAIL.key_field), limit=300)
    clip_id = read_text(clip.get("clip_id")) or read_text(clip.get("md5"))
    return ClipView(
        clip_id=clip_id,
        rank=rank,
        url=f"/clips/{clip_id}.mp4",
        media_url=f"/media/{clip[VIDEO.key_field]}",
        poster_url=f"/media/{thumbnail}" if thumbnail else None,
        verified=bool(clip.get("timestamp_verified")),
        timestamp_status=read_text(clip.get("timestamp_status"), TimestampStatus.UNVERIFIED),
        extracted_minute=read_int(clip.get("extracted_minute")),
        found_by=read_int(clip.get("popularity")) or max(1, len(read_strings(clip.get("_sources")))),
        width=width,
        height=height,
        resolution=phrases.format_resolution(width, height),
        duration=duration,
        length=phrases.format_duration(duration),
        file_size=read_int(clip.get("file_size")),
        source_url=keep_https_url(clip.get("source_url")),
        added_at=read_datetime(clip.get("added_at")),
        preview_url=f"/media/{preview}" if (preview := read_text(clip.get(PREVIEW.key_field), limit=300)) else None,
        proof=_build_proof_view(clip.get("proof")),
        witness=phrases.describe_witness(read_text(clip.get("witness"), limit=_MAX_WITNESS_LENGTH)),
    )


def _build_proof_view(proof: Any) -> ProofView | None:
    """None for a clip that was stored before its proof was kept."""
    if not isinstance(proof, Mapping):
        return None
    shown = {name: read_text(proof.get(name)) for name in ("clock", "half", "teams", "score")}
    names = ("minute_finding", "half_finding", "teams_finding", "score_finding")
    return ProofView(**shown, **{name: read_text(proof.get(name), Finding.UNKNOWN) for name in names})


def keep_https_url(url: Any) -> str | None:
    """Return the URL if it is https. The text comes from outside and may be `javascript:`."""
    link = read_text(url, limit=500)
    return link if link.startswith("https://") else None
