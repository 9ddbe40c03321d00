"""All settings of the product, put together from the groups that each part declares beside its own code.

Only the composition root and the commands read them. `load_settings` fills in the addresses of the embedded platform
where it runs and nothing else is named.
"""

import os
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from pydantic import Field

from found_footy.archive.sweep_settings import KeepingSettings
from found_footy.clips.settings import ClipSettings
from found_footy.discovery.settings import DiscoverySettings
from found_footy.embedded.endpoints import Endpoints, default_data_dir, find_running
from found_footy.fixtures.settings import FixtureSettings
from found_footy.model.handoff import Pace, Queues
from found_footy.platform import temporal_access
from found_footy.platform.errors import ConfigError, NotFound
from found_footy.platform.settings import (
    DiskSettings,
    Duration,
    Fallback,
    Group,
    Loaded,
    LogSettings,
    MetricsSettings,
    MongoSettings,
    ObjectSettings,
    QueueSettings,
    TemporalSettings,
    given,
    load,
)
from found_footy.vision.settings import VisionSettings
from found_footy.web.settings import WebSettings
from found_footy.xsearch.settings import XSearchSettings

Count = Annotated[int, Field(ge=1, le=100)]

# Which variable names which server, and what else must then be named.
EXTERNAL = {
    "MONGODB_URI": "mongodb_uri",
    "TEMPORAL_ADDRESS": "temporal_address",
    "S3_ENDPOINT": "s3_endpoint",
    "S3_ACCESS_KEY": "s3_access_key",
    "S3_SECRET_KEY": "s3_secret_key",
    "NATS_URL": "nats_url",
}
# The embedded Temporal speaks plain text to this machine alone.
_SEARCH_URL, _SEARCH_TOKEN = "TWITTER_SERVICE_URL", "X_SEARCH_TOKEN"
_OF_OWN_TEMPORAL = {
    temporal_access.TLS, temporal_access.SERVER_CA, temporal_access.SERVER_NAME, temporal_access.CLIENT_CERT,
    temporal_access.CLIENT_KEY, temporal_access.API_KEY,
}  # fmt: skip


class QueueNames(Group):
    main: str = "found-footy"
    """Task queue of orchestration and I/O."""

    media: str = "found-footy-media"
    """Task queue of decoding, hashing and deduplication."""

    vision: str = "found-footy-vision"
    """Task queue of picture reading."""


class WorkerSettings(Group):
    workflow_tasks: Count = 10
    """Workflow tasks that one worker process runs at once."""

    activities: Count = 30
    """Activities of the main queue that one worker process runs at once."""

    aliases: Count = 2
    """Look-ups of teams' aliases that one worker process runs at once; Wikidata is asked one question at a time."""

    media: Count = 4
    """Activities of the media queue that one worker process runs at once; decoding wants cores."""

    vision: Count = 2
    """Clips that one worker process looks at at once; how many ask a vision server is FOOTY_VISION__LLM_AT_ONCE."""

    grace: Duration = timedelta(seconds=8)
    """How long a worker that is told to stop may finish what it has begun."""

    reconcile_interval: Duration = timedelta(seconds=30)
    """How often a worker of the main queue looks whether the schedules are there and the daily ingest has run."""


class PaceSettings(Group):
    attempts: Count = 10
    """Searches per goal."""

    attempts_limit: Count = 15
    """Most tries at a search per goal before it is closed."""

    spacing: Duration = timedelta(seconds=60)
    """Time from the start of one search of a goal to the start of the next."""

    min_wait: Duration = timedelta(seconds=10)
    """Shortest pause between two searches of a goal."""

    search_window: Duration = timedelta(minutes=3)
    """How far back a search looks."""

    clips_per_attempt: Count = 5
    """Most clips taken from one search."""

    upload_idle: Duration = timedelta(minutes=5)
    """How long the upload queue of a goal waits for another batch before it ends."""

    longest_run: Duration = timedelta(hours=24)
    """When a search, a download, an upload or a look-up of names that still runs is ended; longer than any outage that
    its work should outlast."""

    retry_first: Duration = timedelta(minutes=5)
    """How long after an attempt the links that it could not settle are taken up again."""

    retry_longest: Duration = timedelta(hours=4)
    """Longest pause between two tries of such a link; each pause is twice the one before."""

    retry_check: Duration = timedelta(minutes=2)
    """How often open links that are due are looked for."""

    retry_timeout: Duration = timedelta(minutes=10)
    """When such a look that still runs is ended."""


class Settings(Group):
    data_dir: Path = Field(default_factory=default_data_dir)
    """Where the embedded platform keeps its data, logs and credentials."""

    simulated: bool = False
    """Say on the page and in the logs that the outside world is simulated."""

    trusted_hosts: tuple[str, ...] = ()
    """host:port addresses on private networks that may be talked to, such as a search service of your own."""

    keys_elsewhere: tuple[str, ...] = ()
    """Variables of keys that are set for other processes and kept from this one, which does not call them missing."""

    mongo: MongoSettings = MongoSettings()
    temporal: TemporalSettings = TemporalSettings()
    objects: ObjectSettings = ObjectSettings()
    nats: QueueSettings = QueueSettings()
    disk: DiskSettings = DiskSettings()
    queues: QueueNames = QueueNames()
    worker: WorkerSettings = WorkerSettings()
    fixtures: FixtureSettings = FixtureSettings()
    pace: PaceSettings = PaceSettings()
    discovery: DiscoverySettings = DiscoverySettings()
    clips: ClipSettings = ClipSettings()
    keeping: KeepingSettings = KeepingSettings()
    vision: VisionSettings = VisionSettings()
    xsearch: XSearchSettings = XSearchSettings()
    web: WebSettings = WebSettings()
    log: LogSettings = LogSettings()
    metrics: MetricsSettings = MetricsSettings()


def load_settings(environ: Mapping[str, str] | None = None) -> Loaded[Settings]:
    """Settings of this process; ConfigError names every variable that is wrong."""
    environ = os.environ if environ is None else environ
    data_dir = Path(environ.get("FOOTY_DATA_DIR", "").strip() or default_data_dir())
    beneath = {"X_SEARCH_DATA_DIR": Fallback(str(data_dir / "xsearch"), "data directory")}
    try:
        running = find_running(data_dir)
    except NotFound:
        return load(Settings, environ, beneath)
    known = embedded_addresses(running)
    if given(Settings, environ).get(_SEARCH_URL, running.search_url) != running.search_url:
        # The token of our search service is for no other one.
        known.pop(_SEARCH_TOKEN, None)
    return load(Settings, environ, {**known, **beneath})


def embedded_addresses(endpoints: Endpoints) -> dict[str, Fallback]:
    """What runs here, with the search service of `up`: other commands ask the one that the worker asks."""
    given_ones = {variable: getattr(endpoints, field) for variable, field in EXTERNAL.items()}
    given_ones |= {_SEARCH_URL: endpoints.search_url, _SEARCH_TOKEN: endpoints.search_token}
    return {variable: Fallback(address) for variable, address in given_ones.items() if address}


def external_servers(environ: Mapping[str, str]) -> dict[str, str]:
    """The servers that are named by address, for the supervisor not to start its own."""
    named = {variable: text for variable, text in given(Settings, environ).items() if variable in EXTERNAL}
    store = {"S3_ENDPOINT", "S3_ACCESS_KEY", "S3_SECRET_KEY"}
    if (missing := sorted(store - named.keys())) and (present := sorted(store & named.keys())):
        raise ConfigError(f"{' and '.join(present)} is set, so {' and '.join(missing)} must be set too")
    if "TEMPORAL_ADDRESS" not in named and (alone := sorted(_OF_OWN_TEMPORAL & given(Settings, environ).keys())):
        raise ConfigError(f"{' and '.join(alone)} is set, so TEMPORAL_ADDRESS must be set too")
    return {EXTERNAL[variable]: text for variable, text in named.items()}


def pace(settings: Settings) -> Pace:
    return Pace(
        attempts_wanted=settings.pace.attempts,
        attempts_limit=settings.pace.attempts_limit,
        attempt_spacing=settings.pace.spacing,
        attempt_min_wait=settings.pace.min_wait,
        search_window=settings.pace.search_window,
        clips_per_attempt=settings.pace.clips_per_attempt,
        upload_idle=settings.pace.upload_idle,
        longest_run=settings.pace.longest_run,
        retry_first=settings.pace.retry_first,
        retry_longest=settings.pace.retry_longest,
        queues=Queues(settings.queues.main, settings.queues.media, settings.queues.vision),
    )
