"""All settings of the product, composed of the groups that each package declares.

Only the composition root and the commands read them. `load_settings` fills in the addresses of the embedded servers if
they run and no others are configured.
"""

import os
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from pydantic import Field

from found_footy.access.settings import AccessSettings
from found_footy.archive.settings import MaintenanceSettings
from found_footy.clips.settings import ClipSettings
from found_footy.discovery.settings import DiscoverySettings
from found_footy.domain.messages import PipelinePace, TaskQueues
from found_footy.embedded.endpoints import PlatformEndpoints, default_data_dir, find_running_endpoints
from found_footy.fixtures.settings import FixtureSettings
from found_footy.notify.settings import NotifySettings
from found_footy.platform.errors import ConfigError, NotFound
from found_footy.platform.settings.groups import (
    DiskSettings,
    Duration,
    FallbackValue,
    LoadedSettings,
    LogSettings,
    MetricsSettings,
    MongoSettings,
    NatsSettings,
    ObjectStoreSettings,
    SettingsGroup,
    TemporalSettings,
    TracingSettings,
    load_from_environment,
    read_given_values,
)
from found_footy.platform.temporal import access as temporal_access
from found_footy.scaler.settings import ScalerSettings
from found_footy.uploads.settings import UploadSettings
from found_footy.vision.settings import VisionSettings
from found_footy.web.settings import WebSettings
from found_footy.xsearch.settings import XSearchSettings

PositiveCount = Annotated[int, Field(ge=1, le=100)]

# Variables of external servers and their fields of `PlatformEndpoints`.
EXTERNAL_SERVER_FIELDS = {
    "MONGODB_URI": "mongodb_uri",
    "TEMPORAL_ADDRESS": "temporal_address",
    "S3_ENDPOINT": "s3_endpoint",
    "S3_ACCESS_KEY": "s3_access_key",
    "S3_SECRET_KEY": "s3_secret_key",
    "NATS_URL": "nats_url",
}
_SEARCH_URL_VARIABLE, _SEARCH_TOKEN_VARIABLE = "TWITTER_SERVICE_URL", "X_SEARCH_TOKEN"
_NOTIFICATIONS_VARIABLE = "FOOTY_UPLOADS__NOTIFICATION_SECRET"
# They need TEMPORAL_ADDRESS: the embedded Temporal uses plain text on loopback only.
_EXTERNAL_TEMPORAL_VARIABLES = {
    temporal_access.TLS_VARIABLE,
    temporal_access.SERVER_CA_VARIABLE,
    temporal_access.SERVER_NAME_VARIABLE,
    temporal_access.CLIENT_CERT_VARIABLE,
    temporal_access.CLIENT_KEY_VARIABLE,
    temporal_access.API_KEY_VARIABLE,
}


class TaskQueueSettings(SettingsGroup):
    main: str = TaskQueues.main
    """Task queue of workflows and I/O activities."""

    media: str = TaskQueues.media
    """Task queue of decoding, fingerprints and deduplication."""

    vision: str = TaskQueues.vision
    """Task queue of the clip check."""


class WorkerSettings(SettingsGroup):
    workflow_tasks: PositiveCount = 10
    """Workflow tasks that one worker process runs at the same time."""

    activities: PositiveCount = 30
    """Activities of the main queue that one worker process runs at the same time."""

    aliases: PositiveCount = 2
    """Alias look-ups that one worker process runs at the same time; requests to Wikidata go one at a time."""

    media: PositiveCount = 4
    """Activities of the media queue that one worker process runs at the same time; decoding needs cores."""

    images: PositiveCount = 4
    """Images of organizations that one worker process loads or classifies at the same time."""

    vision: PositiveCount = 2
    """Clips that one worker process checks at the same time; FOOTY_VISION__LLM_AT_ONCE limits the vision server."""

    grace: Duration = timedelta(seconds=8)
    """How long a worker may drain running activities when it is stopped."""

    deployment: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{0,100}$")] = ""
    """Name of the Temporal worker deployment. If set, a run ends on the build that it began on, and new runs go to the
    build that `found-footy rollout` made the current one."""

    build: Annotated[str, Field(pattern=r"^[A-Za-z0-9._+-]{0,200}$")] = ""
    """Build id of this worker in its deployment; by default its version and commit."""

    reconcile_interval: Duration = timedelta(seconds=30)
    """How often a worker of the main queue checks that the schedules exist and that the daily ingest has run."""


class PaceSettings(SettingsGroup):
    attempts: PositiveCount = PipelinePace.attempts_wanted
    """Searches per goal."""

    attempts_limit: PositiveCount = PipelinePace.attempts_limit
    """Maximum number of tries at a search per goal, failed ones included, before it ends."""

    spacing: Duration = PipelinePace.attempt_spacing
    """Time from the start of one search of a goal to the start of the next."""

    min_wait: Duration = PipelinePace.attempt_min_wait
    """Shortest pause between two searches of a goal."""

    search_window: Duration = PipelinePace.search_window
    """How far back a search looks."""

    clips_per_attempt: PositiveCount = PipelinePace.clips_per_attempt
    """Maximum number of candidates taken from one search."""

    upload_idle: Duration = PipelinePace.upload_idle
    """How long the upload queue of a goal waits for another batch before it ends."""

    longest_run: Duration = PipelinePace.longest_run
    """Time limit of a search, download, upload or alias workflow; longer than any outage that it should survive."""

    retry_first: Duration = PipelinePace.retry_first
    """How long after an attempt its open candidates are retried."""

    retry_longest: Duration = PipelinePace.retry_longest
    """Maximum pause between two tries of an open candidate; each pause is twice the one before."""

    retry_check: Duration = timedelta(minutes=2)
    """How often open candidates that are due are retried."""

    retry_timeout: Duration = timedelta(minutes=10)
    """Time limit of one such run."""


class Settings(SettingsGroup):
    data_dir: Path = Field(default_factory=default_data_dir)
    """Directory of the embedded platform's data, logs and credentials."""

    simulated: bool = False
    """Show on the page and in the logs that the outside world is simulated."""

    trusted_hosts: tuple[str, ...] = ()
    """host:port addresses on private networks that requests may reach, such as your own search service."""

    keys_elsewhere: tuple[str, ...] = ()
    """Variables of keys that are set for other processes only; this process does not report them as missing."""

    mongo: MongoSettings = MongoSettings()
    temporal: TemporalSettings = TemporalSettings()
    objects: ObjectStoreSettings = ObjectStoreSettings()
    nats: NatsSettings = NatsSettings()
    disk: DiskSettings = DiskSettings()
    queues: TaskQueueSettings = TaskQueueSettings()
    worker: WorkerSettings = WorkerSettings()
    scaler: ScalerSettings = ScalerSettings()
    fixtures: FixtureSettings = FixtureSettings()
    pace: PaceSettings = PaceSettings()
    discovery: DiscoverySettings = DiscoverySettings()
    clips: ClipSettings = ClipSettings()
    keeping: MaintenanceSettings = MaintenanceSettings()
    uploads: UploadSettings = UploadSettings()
    notify: NotifySettings = NotifySettings()
    vision: VisionSettings = VisionSettings()
    xsearch: XSearchSettings = XSearchSettings()
    web: WebSettings = WebSettings()
    access: AccessSettings = AccessSettings()
    log: LogSettings = LogSettings()
    metrics: MetricsSettings = MetricsSettings()
    tracing: TracingSettings = TracingSettings()


def load_settings(environ: Mapping[str, str] | None = None) -> LoadedSettings[Settings]:
    """Load the settings of this process; ConfigError names every invalid variable."""
    environ = os.environ if environ is None else environ
    data_dir = Path(environ.get("FOOTY_DATA_DIR", "").strip() or default_data_dir())
    fallbacks = {"X_SEARCH_DATA_DIR": FallbackValue(str(data_dir / "xsearch"), "data directory")}
    try:
        running = find_running_endpoints(data_dir)
    except NotFound:
        return load_from_environment(Settings, environ, fallbacks)
    known = embedded_fallbacks(running)
    if read_given_values(Settings, environ).get(_SEARCH_URL_VARIABLE, running.search_url) != running.search_url:
        # The embedded search service's token must not be sent to another service.
        known.pop(_SEARCH_TOKEN_VARIABLE, None)
    return load_from_environment(Settings, environ, {**known, **fallbacks})


def embedded_fallbacks(endpoints: PlatformEndpoints) -> dict[str, FallbackValue]:
    """Addresses of the embedded servers and of the search service that `up` started: other commands use the same one as
    the worker.
    """
    addresses = {variable: getattr(endpoints, field) for variable, field in EXTERNAL_SERVER_FIELDS.items()}
    addresses |= {_SEARCH_URL_VARIABLE: endpoints.search_url, _SEARCH_TOKEN_VARIABLE: endpoints.search_token}
    addresses[_NOTIFICATIONS_VARIABLE] = endpoints.notification_secret
    return {variable: FallbackValue(address) for variable, address in addresses.items() if address}


def read_external_servers(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the servers that are configured by address, which the supervisor does not start."""
    named = {
        variable: text
        for variable, text in read_given_values(Settings, environ).items()
        if variable in EXTERNAL_SERVER_FIELDS
    }
    store = {"S3_ENDPOINT", "S3_ACCESS_KEY", "S3_SECRET_KEY"}
    if (missing := sorted(store - named.keys())) and (present := sorted(store & named.keys())):
        raise ConfigError(f"{' and '.join(present)} is set, so {' and '.join(missing)} must be set too")
    if "TEMPORAL_ADDRESS" not in named and (
        alone := sorted(_EXTERNAL_TEMPORAL_VARIABLES & read_given_values(Settings, environ).keys())
    ):
        raise ConfigError(f"{' and '.join(alone)} is set, so TEMPORAL_ADDRESS must be set too")
    return {EXTERNAL_SERVER_FIELDS[variable]: text for variable, text in named.items()}


def pipeline_pace(settings: Settings) -> PipelinePace:
    return PipelinePace(
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
        queues=TaskQueues(settings.queues.main, settings.queues.media, settings.queues.vision),
    )
