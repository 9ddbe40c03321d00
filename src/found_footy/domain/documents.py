"""The documents stored in MongoDB, by collection. docs/data.md and docs/archive.md describe the fields.

Most fields are optional: a goal gains fields as it passes through the stages, and a projection leaves fields out. Code
that reads a document casts it to its type, so that mypy checks the fields it uses. MongoDB filters, updates and
expressions stay plain dictionaries.
"""

from datetime import datetime
from typing import Any, NotRequired, Required, TypedDict


class NamedDocument(TypedDict):  # a team, player or assistant as the feed names it
    id: int | None
    name: str | None


class TeamDocument(TypedDict):
    id: Required[int]
    name: Required[str]
    winner: NotRequired[bool | None]


class TeamsDocument(TypedDict, total=False):
    home: TeamDocument
    away: TeamDocument


class ScoreDocument(TypedDict):
    home: int
    away: int


class ReportedGoalsDocument(TypedDict):  # the feed's current score; null before kickoff
    home: int | None
    away: int | None


class MinuteDocument(TypedDict):
    elapsed: Required[int]
    extra: NotRequired[int | None]


class StatusDocument(TypedDict, total=False):
    short: Required[str]
    long: str | None
    elapsed: int | None
    extra: int | None


class FeedHeadDocument(TypedDict, total=False):  # the feed's `fixture` part
    id: int
    status: Required[StatusDocument]
    date: datetime | None


class LeagueDocument(TypedDict, total=False):
    id: Required[int]
    name: str | None
    country: str | None


class CopyDocument(TypedDict):
    """One copy of a clip's recording, in `_members`. `home` is the goal for which it was compared with all others."""

    md5: str
    duration: float
    file_size: int
    verified: bool
    sources: list[str]
    fingerprint_key: str | None
    hash_version: str
    matches: list[str]
    home: str


class FlagDocument(TypedDict):
    """A clip of another goal that shows the same recording."""

    event_id: str
    clip_id: str


class ClipDocument(TypedDict, total=False):
    """One clip, in `_s3_videos`."""

    clip_id: Required[str]
    md5: Required[str]
    s3_url: str
    _s3_key: str
    thumbnail_key: str | None
    preview_key: str | None
    fingerprint_key: str | None
    perceptual_hash: str
    hash_version: str
    width: int
    height: int
    aspect_ratio: float
    resolution_score: int
    file_size: int
    duration: float
    bitrate: int
    fps: float
    popularity: int
    rank: int
    pinned: bool
    source_url: str
    timestamp_verified: bool
    timestamp_status: str
    extracted_minute: int | None
    proof: dict[str, str] | None
    post_doubts: int
    title_confirmed: bool
    witness: str
    added_at: datetime | None
    replaced_at: datetime | None
    _sources: list[str]
    _md5s: list[str]
    _members: list[CopyDocument]
    _flags: list[FlagDocument]


class VariantDocument(TypedDict):  # one encoding of a candidate's video
    url: str
    bitrate: int
    width: int
    height: int


class CandidateDocument(TypedDict, total=False):
    """One candidate, in `_discovered_videos`."""

    url: Required[str]
    tweet_id: str
    author: str
    posted_at: datetime | None
    duration: float | None
    attempt: int
    source: str
    variants: list[VariantDocument]
    taken: bool
    refused: str | None
    post_doubts: int
    witness: str


class BlockDocument(TypedDict, total=False):
    """A file that a goal rejects, in `_judgements.refused`; on the blocklist with its reason and author."""

    clip_id: Required[str]
    md5s: Required[list[str]]
    md5: str
    scope: str
    print_key: str | None
    hash_version: str | None
    at: datetime
    lifted: bool


class KeptApartDocument(TypedDict, total=False):
    """Two clips that must not be merged, in `_judgements.apart`; each given by its id and MD5s."""

    one: Required[list[str]]
    other: Required[list[str]]
    clips: list[str]
    at: datetime


class ModerationDocument(TypedDict, total=False):
    apart: list[KeptApartDocument]
    refused: list[BlockDocument]


class SearchStateDocument(TypedDict, total=False):
    state: Required[str]
    detail: str
    at: datetime


class CandidateOutcomeDocument(TypedDict, total=False):
    """What became of a candidate, in `_telemetry.attempts.{download}.clips.{hash of the URL}`."""

    url: str
    outcome: str
    reason: str
    retry: str
    md5: str
    evidence: dict[str, Any]


class AttemptDocument(TypedDict, total=False):
    """One download, in `_telemetry.attempts`."""

    attempt: int
    query: str
    form: str
    found: int
    taken: int
    searched_at: datetime
    sources: Any
    links: list[str]
    time: MinuteDocument
    score_after: ScoreDocument | None
    clips: dict[str, CandidateOutcomeDocument]


class TelemetryDocument(TypedDict, total=False):
    attempts: dict[str, AttemptDocument]


class FeedEventDocument(TypedDict):
    """The fields of a goal that come from the feed, and the digest by which a change is noticed."""

    player: NamedDocument | None
    team: TeamDocument
    assist: NamedDocument | None
    type: str
    detail: str | None
    time: MinuteDocument
    comments: str | None
    _event_hash: str


class GoalDocument(FeedEventDocument, total=False):
    """One goal, in `events`; as a tombstone, in `removed_events`."""

    _event_id: Required[str]
    _slug: Required[str]
    _first_seen: Required[datetime]
    _score_before: Required[ScoreDocument]
    _score_after: Required[ScoreDocument]
    _stored_at: datetime
    _fell_at: datetime | None
    _suspicions: list[str]
    _due_at: datetime | None
    _monitor_workflows: list[str]
    _monitor_complete: bool
    _drop_workflows: list[str]
    _missing_since: datetime | None
    _doubtful_since: datetime | None
    _uncounted_workflows: list[str]
    _ghost_at: datetime | None
    _removed: bool
    _removed_at: datetime | None
    _gone_clips: list[str]
    _matched_from: str | None
    _moved_to: str | None
    _distinct_from: list[str]
    _twitter_aliases: list[str]
    _twitter_search: str | None
    _search_state: SearchStateDocument | None
    _discovered_videos: list[CandidateDocument]
    _open_links: list[str]
    _retry_at: datetime
    _download_workflows: list[str]
    _delivered_workflows: list[str]
    _download_complete: bool
    _download_completed_at: datetime | None
    _completion_reason: str | None
    _s3_videos: list[ClipDocument]
    _judgements: ModerationDocument | None
    _telemetry: TelemetryDocument


class FixtureDocument(TypedDict, total=False):
    """One fixture, in `fixtures_staging`, `fixtures_active` or `fixtures_completed`."""

    _id: Required[int]
    fixture: Required[FeedHeadDocument]
    league: LeagueDocument | None
    teams: TeamsDocument
    goals: ReportedGoalsDocument | None
    score: dict[str, Any] | None
    kickoff: datetime | None
    events: list[GoalDocument]
    removed_events: list[GoalDocument]
    ingested_at: datetime
    activated_at: datetime | None
    completed_at: datetime | None
    _last_monitor: datetime | None
    _final_workflows: list[str]
    _final_at: datetime | None
    _live_until: datetime | None
    _synced_at: datetime
    _recheck_at: datetime | None
    _returned_at: datetime | None
    _unknown_status: str | None
    _copied_at: datetime
    _keep_removed_clips: bool


class AnswerDocument(TypedDict, total=False):
    """The feed's last answer about a fixture, in `fixtures_live` or `fixtures_incoming`."""

    _id: int
    fixture: FeedHeadDocument
    league: LeagueDocument | None
    teams: TeamsDocument
    goals: ReportedGoalsDocument | None
    score: dict[str, Any] | None
    kickoff: datetime | None
    rows: list[dict[str, Any]] | None
    events: list[dict[str, Any]]
    broken_rows: int
    broken_others: int
    polled_by: str
    polled_at: datetime


class FeedErrorDocument(TypedDict):
    kind: str
    text: str
    at: datetime


class FeedStateDocument(TypedDict, total=False):
    """The state of the feed, in `feed_state`."""

    _id: str
    budget: dict[str, int | None]
    budget_at: datetime
    last_poll_at: datetime
    last_staging_at: datetime
    last_recheck_at: datetime
    last_account_at: datetime
    last_ok_at: datetime
    last_error: FeedErrorDocument | None
    slowed_to_seconds: float | None
    not_before: datetime | None
    asked_to_wait_at: datetime | None
    wait_reason: str | None
    plan: dict[str, Any] | None
    key: str
    advice: str | None


class HeartbeatDocument(TypedDict, total=False):
    """When a run of the monitor or the ingest last ended, in `heartbeats`."""

    _id: str
    completed_at: datetime
    workflow_id: str
    requested_at: datetime


class TeamAliasesDocument(TypedDict, total=False):
    """The aliases of a team, in `team_aliases`."""

    _id: int
    team_name: Required[str]
    country: Required[str | None]
    national: Required[bool]
    aliases: Required[list[str]]
    source: Required[str]
    cached_at: Required[datetime]
    expires_at: Required[datetime]


class LeaseDocument(TypedDict):
    """A lease for calls to the vision server, in `vision_turns`."""

    _id: str
    holder: str
    until: datetime


class ScalerPoolDocument(TypedDict):
    """`scaler_pools`: the scaler's last decision about one pool of instances."""

    _id: str
    at: datetime
    unit: str
    running: int
    wanted: int
    reason: str
    expected: float | None
    changed_at: datetime | None
    error: str


class RestoreDocument(TypedDict):
    """A restore that has begun and not ended, in `installation`; `backup` is the hash of its manifest."""

    _id: str
    backup: str
    started_at: datetime


class SchemaDocument(TypedDict, total=False):
    """The schema version of the database, in `installation`, and who is migrating it."""

    _id: Required[str]
    version: Required[int]
    migrating_until: datetime | None
    migrating_by: str | None
