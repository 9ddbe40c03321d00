"""Messages between stages. They are frozen; fields are only ever added."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from found_footy.domain.ids import GoalSlug
from found_footy.domain.outcomes import TimestampStatus
from found_footy.domain.proof import ClipProof
from found_footy.domain.scores import Score

# Workflows are started by name, so that stages do not import each other.
INGEST_WORKFLOW = "IngestWorkflow"
MONITOR_WORKFLOW = "MonitorWorkflow"
RAG_WORKFLOW = "RAGWorkflow"
TWITTER_WORKFLOW = "TwitterWorkflow"
DOWNLOAD_WORKFLOW = "DownloadWorkflow"
UPLOAD_WORKFLOW = "UploadWorkflow"
RETRY_WORKFLOW = "RetryWorkflow"
ADD_VIDEOS_SIGNAL = "add_videos"
# How the witness of a candidate begins whose title confirms teams, score, and scorer or minute.
CONFIRMED_WITNESS = "confirmed"


def aliases_queue_name(main: str) -> str:
    """Return the task queue on which aliases are resolved before kick-off. An evening has hundreds of look-ups that
    wait for one another; in the main queue they would delay the monitor.
    """
    return f"{main}-aliases"


def images_queue_name(media: str) -> str:
    """Return the task queue on which images of organizations are loaded and classified. An organization may upload
    thousands at once; in the media queue they would delay the clips of a goal.
    """
    return f"{media}-images"


@dataclass(frozen=True)
class TaskQueues:
    """The task queues of a deployment; tests use their own."""

    main: str = "found-footy"
    media: str = "found-footy-media"
    vision: str = "found-footy-vision"


@dataclass(frozen=True)
class PipelinePace:
    """Limits and intervals of every stage after the monitor."""

    attempts_wanted: int = 10
    attempts_limit: int = 15
    attempt_spacing: timedelta = timedelta(seconds=60)
    attempt_min_wait: timedelta = timedelta(seconds=10)
    search_window: timedelta = timedelta(minutes=3)
    clips_per_attempt: int = 5
    upload_idle: timedelta = timedelta(minutes=5)
    longest_run: timedelta = timedelta(hours=24)
    retry_first: timedelta = timedelta(minutes=5)
    retry_longest: timedelta = timedelta(hours=4)
    queues: TaskQueues = field(default_factory=TaskQueues)


@dataclass(frozen=True)
class OtherGoal:
    """Another goal of the same match, from which clips must be told apart."""

    elapsed: int
    extra: int | None
    score_before: Score
    score_after: Score


@dataclass(frozen=True)
class Goal:
    """A goal as later stages see it: its identity and the facts that a clip is checked against.

    `scored_at` is the estimated time of a goal that was first seen long after it was scored, else None. `country` is
    the country of the league, None for international competitions; `national` is None where it is unknown whether the
    team is a national team. `home_aliases` and `away_aliases` are names by which people and broadcasters know the
    teams. The scores are those before and after this goal, None where they are unknown.
    """

    fixture_id: int
    event_id: str
    slug: GoalSlug
    team_id: int
    team_name: str
    player_name: str
    elapsed: int
    extra: int | None
    first_seen: datetime
    home_name: str = ""
    away_name: str = ""
    scored_at: datetime | None = None
    country: str | None = None
    national: bool | None = None
    home_aliases: tuple[str, ...] = ()
    away_aliases: tuple[str, ...] = ()
    score_before: Score | None = None
    score_after: Score | None = None
    other_goals: tuple[OtherGoal, ...] = ()


@dataclass(frozen=True)
class ResolveAliases:
    """Ingest → RAGWorkflow: make sure this team's aliases are cached."""

    team_id: int
    team_name: str
    country: str | None = None
    national: bool = False


@dataclass(frozen=True)
class SearchGoal:
    """Monitor → TwitterWorkflow."""

    goal: Goal
    pace: PipelinePace


@dataclass(frozen=True)
class VideoVariant:
    """One encoding of a posted video. `bitrate`, `width` and `height` are 0 where the source does not give them. Some
    hosts keep the sound in a file of its own, at `sound_url`.
    """

    url: str
    bitrate: int = 0
    width: int = 0
    height: int = 0
    sound_url: str = ""


@dataclass(frozen=True)
class ClipCandidate:
    """A post with a video, as a search returned it. `tweet_id` is a string in every stage. `post_doubts` counts the
    signs in its text that it shows something else than the goal. `witness` says what of the goal the
    post's title confirms, if its source has such titles.
    """

    url: str
    tweet_id: str
    author: str
    posted_at: datetime | None
    duration_seconds: float | None
    text: str = ""
    variants: tuple[VideoVariant, ...] = ()
    source: str = "x"
    post_doubts: int = 0
    witness: str = ""

    @property
    def is_confirmed(self) -> bool:
        return self.witness.startswith(CONFIRMED_WITNESS)


@dataclass(frozen=True)
class DownloadClips:
    """TwitterWorkflow → DownloadWorkflow. `videos` may be empty: the attempt still counts."""

    goal: Goal
    pace: PipelinePace
    attempt: int
    videos: tuple[ClipCandidate, ...] = ()


@dataclass(frozen=True)
class ScreenedClip:
    """A clip that passed screening and is stored under `scratch_key`, with its thumbnail, preview and fingerprint
    beside it. `hash_version` names the algorithm of the fingerprint and is empty without one; `perceptual_hash` is the
    fingerprint as text, for records. `proof` is what its picture shows of the goal; `post_doubts` counts the signs in
    the text of its post that it shows something else.
    """

    md5: str
    scratch_key: str
    source_url: str
    width: int
    height: int
    duration: float
    file_size: int
    bitrate: int
    fps: float
    timestamp_status: TimestampStatus
    extracted_minute: int | None = None
    hash_version: str = ""
    perceptual_hash: str = ""
    proof: ClipProof | None = None
    post_doubts: int = 0


@dataclass(frozen=True)
class ClipBatch:
    """DownloadWorkflow → UploadWorkflow. Sent even when empty, so that every attempt is recorded as delivered. A batch
    sent early has `last=False` and does not mark the attempt as delivered.
    """

    goal: Goal
    pace: PipelinePace
    download_id: str
    clips: tuple[ScreenedClip, ...] = ()
    last: bool = True


@dataclass(frozen=True)
class StartUpload:
    """The input of UploadWorkflow; batches arrive by signal. A run that continues as new passes on what is pending."""

    goal: Goal
    pace: PipelinePace
    pending: tuple[ClipBatch, ...] = ()
