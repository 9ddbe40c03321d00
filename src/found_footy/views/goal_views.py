"""The view of one goal's page: its angles with their proof, where each was found, and its history. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from found_footy.domain.ids import GoalSlug, twitter_workflow_id, upload_workflow_id
from found_footy.views import goal_phrases, phrases
from found_footy.views.clip_views import ClipView, keep_https_url
from found_footy.views.field_readers import (
    Document,
    get_nested,
    read_documents,
    read_float,
    read_int,
    read_strings,
    read_text,
)
from found_footy.views.fixture_views import FixtureView, GoalView
from found_footy.views.goal_timeline import GoalTimelineEntry, build_timeline, iter_candidate_outcomes

_MAX_FRAMES = 5
_MAX_SOURCES = 40
_MAX_VERDICT_LENGTH = 300


@dataclass(frozen=True)
class FrameView:
    """One frame that was read: when in the clip, its small picture, and the texts printed in it."""

    at: str
    seconds: float
    picture_url: str
    clock: str
    teams: str
    score: str


@dataclass(frozen=True)
class FieldCheckView:
    """One field of the picture beside what the goal should show."""

    name: str
    shown: str
    expected: str
    finding: str

    @property
    def label(self) -> str:
        return goal_phrases.describe_finding(self.finding)


@dataclass(frozen=True)
class SourceLinkView:
    """A post or page that offered a copy; without an address, the name alone."""

    url: str | None
    host: str


@dataclass(frozen=True)
class CopyView:
    """A file of the same recording. The one that is shown is the best of them."""

    length: str
    file_size: int | None
    verified: bool
    is_shown: bool
    sources: tuple[SourceLinkView, ...]


@dataclass(frozen=True)
class OtherGoalLink:
    """Another goal for which the same recording was kept."""

    event_id: str


@dataclass(frozen=True)
class AngleView:
    clip: ClipView
    checks: tuple[FieldCheckView, ...]
    frames: tuple[FrameView, ...]
    reader: str
    verdict: str
    copies: tuple[CopyView, ...]
    pinned: bool
    fingerprint_key: str
    same_recording: tuple[OtherGoalLink, ...]

    @property
    def source_count(self) -> int:
        return sum(len(copy.sources) for copy in self.copies)


@dataclass(frozen=True)
class GoalDetailsView:
    match: FixtureView
    goal: GoalView
    angles: tuple[AngleView, ...]
    timeline: tuple[GoalTimelineEntry, ...]
    workflow_ids: tuple[str, ...]

    @property
    def title(self) -> str:
        """`Florian Wirtz 23', Liverpool 1–0 Arsenal`"""
        score = self.goal.score_after
        between = f"{score.home}–{score.away}" if score else "–"
        scored = f"{self.goal.player} {self.goal.minute}".strip()
        return f"{scored}, {self.match.home.name} {between} {self.match.away.name}"

    @property
    def neighbours(self) -> tuple[GoalView | None, GoalView | None]:
        """The goals of the match before and after this one."""
        ids = [one.event_id for one in self.match.goals]
        place = ids.index(self.goal.event_id)
        before = self.match.goals[place - 1] if place else None
        return before, self.match.goals[place + 1] if place + 1 < len(ids) else None


def build_goal_details(match: FixtureView, goal: GoalView, event: Mapping[str, Any]) -> GoalDetailsView:
    """`event` is the goal as stored, with its telemetry."""
    records = {_clip_name(clip): clip for clip in read_documents(event.get("_s3_videos"))}
    evidence = _collect_evidence(event)
    angles = [_build_angle(match, goal, clip, records.get(clip.clip_id, {}), evidence) for clip in goal.clips]
    return GoalDetailsView(
        match=match,
        goal=goal,
        angles=tuple(angles),
        timeline=build_timeline(goal, event),
        workflow_ids=_list_workflow_ids(event),
    )


def _clip_name(clip: Document) -> str:
    return read_text(clip.get("clip_id")) or read_text(clip.get("md5"))


def _collect_evidence(event: Mapping[str, Any]) -> dict[str, Document]:
    """The evidence of every candidate that was checked, by the digest of its file."""
    found: dict[str, Document] = {}
    for note in iter_candidate_outcomes(event):
        evidence = note.get("evidence")
        if isinstance(evidence, dict):
            found[read_text(note.get("md5"))] = evidence
    return found


def _build_angle(
    match: FixtureView, goal: GoalView, clip: ClipView, record: Document, evidence: Mapping[str, Document]
) -> AngleView:
    seen = evidence.get(read_text(record.get("md5")), {})
    return AngleView(
        clip=clip,
        checks=tuple(_iter_checks(match, goal, clip)),
        frames=tuple(_iter_frames(seen)),
        reader=read_text(seen.get("reader")),
        verdict=read_text(seen.get("rule"), limit=_MAX_VERDICT_LENGTH),
        copies=_build_copies(record),
        pinned=bool(record.get("pinned")),
        fingerprint_key=read_text(record.get("fingerprint_key"), limit=300),
        same_recording=tuple(
            OtherGoalLink(read_text(flag.get("event_id"))) for flag in read_documents(record.get("_flags"))
        ),
    )


def _iter_checks(match: FixtureView, goal: GoalView, clip: ClipView) -> Iterator[FieldCheckView]:
    """What the picture shows beside what was expected; nothing for a clip stored before its proof was kept."""
    proof = clip.proof
    if proof is None:
        return
    yield FieldCheckView("Clock", proof.clock, f"minute {goal.minute}" if goal.minute else "", proof.minute_finding)
    if proof.half:
        yield FieldCheckView("Half", proof.half, "", proof.half_finding)
    yield FieldCheckView("Teams", proof.teams, f"{match.home.name} – {match.away.name}", proof.teams_finding)
    yield FieldCheckView("Score", proof.score, _expected_score(goal), proof.score_finding)


def _expected_score(goal: GoalView) -> str:
    after = goal.score_after
    if after is None:
        return ""
    home, away = after.home - (goal.side == "home"), after.away - (goal.side == "away")
    return f"{home}–{away}, then {after.home}–{after.away}" if goal.side else f"{after.home}–{after.away}"


def _iter_frames(evidence: Mapping[str, Any]) -> Iterator[FrameView]:
    for frame in read_documents(evidence.get("frames"))[:_MAX_FRAMES]:
        picture = read_text(frame.get("picture"), limit=300)
        if picture:
            yield FrameView(
                at=phrases.format_duration(read_float(frame.get("at"))),
                seconds=read_float(frame.get("at")) or 0.0,
                picture_url=f"/media/{picture}",
                clock=read_text(frame.get("clock")),
                teams=read_text(frame.get("teams")),
                score=read_text(frame.get("score")),
            )


def _build_copies(record: Document) -> tuple[CopyView, ...]:
    """The copies of a recording, the shown one first; a record without copies is its own only one."""
    own = read_text(record.get("md5"))
    members = read_documents(record.get("_members")) or [{**record, "sources": record.get("_sources")}]
    copies = [
        CopyView(
            length=phrases.format_duration(read_float(row.get("duration"))),
            file_size=read_int(row.get("file_size")),
            verified=bool(row.get("verified", record.get("timestamp_verified"))),
            is_shown=read_text(row.get("md5")) == own,
            sources=_build_sources(row.get("sources")),
        )
        for row in members
    ]
    return tuple(sorted(copies, key=lambda copy: (not copy.is_shown, -(copy.file_size or 0))))


def _build_sources(sources: Any) -> tuple[SourceLinkView, ...]:
    links = [link for link in read_strings(sources)[:_MAX_SOURCES] if link.startswith("http")]
    return tuple(SourceLinkView(keep_https_url(link), goal_phrases.name_of_host(link)) for link in links)


def _list_workflow_ids(event: Mapping[str, Any]) -> tuple[str, ...]:
    """The ids of the workflows that search for the goal, download and archive its clips."""
    event_id, slug = read_text(event.get("_event_id")), read_text(event.get("_slug"), limit=300)
    searches = [twitter_workflow_id(GoalSlug.parse(slug), event_id)] if slug.count("|") >= 2 else []
    downloads = read_strings(get_nested(event, "_download_workflows"))
    return (*searches, *downloads, upload_workflow_id(event_id))
