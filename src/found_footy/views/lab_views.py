"""Two clips beside each other: why they are one recording or two, and where they are alike. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from found_footy.fingerprint import MatchEvidence, MatchProfile
from found_footy.views import phrases
from found_footy.views.field_readers import Document, read_documents, read_float, read_text

# The drawing's width in its own units.
CHART_WIDTH = 1000
_EVIDENCE = {
    MatchEvidence.MOTION: "the same motion over the whole overlap",
    MatchEvidence.PIECES: "the same motion in pieces: something was cut out, inserted or runs at another speed",
    MatchEvidence.STILL: "two still clips that show the same picture",
    MatchEvidence.FRAMES: "the same frames",
    MatchEvidence.NONE: "no motion that both show",
}


@dataclass(frozen=True)
class LabSubject:
    """A clip, or a copy of one whose file is not kept: it has a fingerprint, but no address."""

    name: str
    event_id: str
    clip_id: str
    md5: str
    duration: float
    fingerprint_key: str
    media_url: str
    verified: bool
    pinned: bool

    @property
    def length(self) -> str:
        return phrases.format_duration(self.duration)


def find_subject(event: Mapping[str, Any], name: str) -> LabSubject | None:
    """The clip with this id, or the copy with this MD5, of a stored goal."""
    for clip in read_documents(event.get("_s3_videos")):
        own = name in (clip.get("clip_id"), clip.get("md5"))
        if own:
            return _build_subject(event, clip, clip, name)
        for copy in read_documents(clip.get("_members")):
            if copy.get("md5") == name:
                return _build_subject(event, clip, copy, name)
    return None


def _build_subject(event: Mapping[str, Any], clip: Document, row: Document, name: str) -> LabSubject:
    is_shown = row.get("md5") == clip.get("md5")
    key = read_text(clip.get("_s3_key"), limit=300) if is_shown else ""
    return LabSubject(
        name=name,
        event_id=read_text(event.get("_event_id")),
        clip_id=read_text(clip.get("clip_id")),
        md5=read_text(row.get("md5")),
        duration=read_float(row.get("duration")) or 0.0,
        fingerprint_key=read_text(row.get("fingerprint_key"), limit=300),
        media_url=f"/media/{key}" if key else "",
        verified=bool(row.get("verified", row.get("timestamp_verified"))),
        pinned=bool(clip.get("pinned")),
    )


@dataclass(frozen=True)
class LabBar:
    """A stretch of the drawing: `shade` is from 0 to 1."""

    x: float
    width: float
    shade: float
    label: str


@dataclass(frozen=True)
class LabReport:
    """`verdict` is what the two are; `reasons` is why, in sentences."""

    verdict: str
    reasons: tuple[str, ...]
    first: LabBar
    second: LabBar
    windows: tuple[LabBar, ...]
    profile: MatchProfile | None


def build_lab_report(
    one: LabSubject, other: LabSubject, profile: MatchProfile | None, *, kept_apart: bool
) -> LabReport:
    is_one = one.clip_id == other.clip_id and one.event_id == other.event_id
    offset = profile.offset if profile else 0.0
    begin, end = min(0.0, offset), max(one.duration, offset + other.duration, 1.0)
    scale = CHART_WIDTH / (end - begin)

    def place(start: float, seconds: float, shade: float, label: str) -> LabBar:
        return LabBar(round((start - begin) * scale, 1), round(max(seconds * scale, 1.0), 1), round(shade, 3), label)

    windows = tuple(
        place(each.start, each.seconds, each.similarity, f"{each.start:.1f} s: {each.similarity:.2f}")
        for each in (profile.windows if profile else ())
    )
    return LabReport(
        "One recording" if is_one else "Two recordings",
        tuple(_iter_reasons(one, other, profile, kept_apart=kept_apart)),
        place(0.0, one.duration, 1, one.name),
        place(offset, other.duration, 1, other.name),
        windows,
        profile,
    )


def _iter_reasons(
    one: LabSubject, other: LabSubject, profile: MatchProfile | None, *, kept_apart: bool
) -> Iterator[str]:
    if one.md5 == other.md5:
        yield "They are the same file, byte for byte."
        return
    if kept_apart:
        yield "A curator keeps them apart, whatever they show."
    if one.pinned or other.pinned:
        yield "A pinned clip is not merged into another one."
    if one.event_id != other.event_id:
        yield "They belong to different goals, whose clips are not merged."
    if profile is None:
        yield "The fingerprint of one of them is missing or of another version, so they were compared by their bytes."
        return
    rating = f"the motion rates {profile.rating:.2f}, and {profile.needed:.2f} is enough"
    if profile.match.matched:
        yield f"The pictures match: {_EVIDENCE[profile.match.evidence]} ({rating})."
    else:
        yield f"The pictures do not match: {rating}."
    if profile.match.matched and profile.mirrored:
        yield "One of them is mirrored."
