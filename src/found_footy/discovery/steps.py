"""Activities of stage two as its workflows call them: timeouts, attempts, and the reason for them."""

from datetime import timedelta
from typing import Protocol

from found_footy.discovery.messages import (
    BuildSearch,
    PlannedRetries,
    PostponeRetries,
    RecordSearchState,
    RetryRequest,
    RunSearch,
    SaveAliases,
    SaveCandidates,
    SearchAnswer,
    SearchData,
    StartDownload,
    TakenCandidates,
    TeamAliases,
    TeamRef,
)
from found_footy.domain.messages import Goal, ResolveAliases
from found_footy.platform.temporal.steps import OUTAGE_ATTEMPTS, StepOptions, step

_DATABASE_TIMEOUT = timedelta(seconds=30)
_FIRST_RETRY_WAIT = timedelta(seconds=2)

ALIASES_NOW_OPTIONS = StepOptions(
    reason="a goal waits: if Wikidata cannot answer at once, the built-in table or the rules do",
    start_to_close_timeout=timedelta(seconds=90),
    maximum_attempts=1,
)
EXHAUSTED_SEARCH_OPTIONS = StepOptions(
    reason="the last download may have delivered before the search gave up; nothing else checks the goal soon",
    start_to_close_timeout=_DATABASE_TIMEOUT,
    maximum_attempts=OUTAGE_ATTEMPTS,
    initial_interval=_FIRST_RETRY_WAIT,
)


class DiscoverySteps(Protocol):
    @step(
        reason="one read; without it the aliases are looked up again",
        start_to_close_timeout=_DATABASE_TIMEOUT,
        maximum_attempts=3,
        initial_interval=_FIRST_RETRY_WAIT,
        local=True,
    )
    async def get_cached_team_aliases(self, team: TeamRef) -> TeamAliases: ...

    @step(
        reason="calls to a public service that may throttle; after three attempts the table or the rules answer",
        start_to_close_timeout=timedelta(seconds=90),
        maximum_attempts=3,
        initial_interval=timedelta(seconds=5),
    )
    async def get_team_aliases(self, team: ResolveAliases) -> TeamAliases: ...

    @step(
        reason="a cache write; if it is lost, the next goal of the team writes it",
        start_to_close_timeout=_DATABASE_TIMEOUT,
        maximum_attempts=2,
        initial_interval=_FIRST_RETRY_WAIT,
        local=True,
    )
    async def save_team_aliases(self, saved: SaveAliases) -> bool: ...

    @step(
        reason="proves to the monitor that the search runs; if it fails the monitor starts the search again",
        start_to_close_timeout=_DATABASE_TIMEOUT,
        maximum_attempts=5,
        initial_interval=_FIRST_RETRY_WAIT,
        local=True,
    )
    async def set_monitor_complete(self, goal: Goal) -> bool: ...

    @step(
        reason="one read, which decides whether the search continues; retries outlast an outage of the database",
        start_to_close_timeout=_DATABASE_TIMEOUT,
        maximum_attempts=OUTAGE_ATTEMPTS,
        initial_interval=_FIRST_RETRY_WAIT,
        local=True,
    )
    async def get_twitter_search_data(self, build: BuildSearch) -> SearchData: ...

    @step(
        reason="seconds in the browser, after a wait for the service and the search throttle; three failures pause",
        start_to_close_timeout=timedelta(seconds=240),
        maximum_attempts=3,
        initial_interval=timedelta(seconds=10),
        backoff_coefficient=1.5,
        heartbeat_timeout=timedelta(seconds=30),
    )
    async def execute_twitter_search(self, run: RunSearch) -> SearchAnswer: ...

    @step(
        reason="records the attempt before its download starts; must not be lost",
        start_to_close_timeout=_DATABASE_TIMEOUT,
        maximum_attempts=OUTAGE_ATTEMPTS,
        initial_interval=_FIRST_RETRY_WAIT,
        local=True,
    )
    async def save_discovered_videos(self, found: SaveCandidates) -> TakenCandidates: ...

    @step(
        reason="shows why a search is paused, and tells the archive that no more attempts follow",
        start_to_close_timeout=_DATABASE_TIMEOUT,
        maximum_attempts=OUTAGE_ATTEMPTS,
        initial_interval=_FIRST_RETRY_WAIT,
    )
    async def record_search_state(self, record: RecordSearchState) -> bool: ...


class DownloadStartSteps(Protocol):
    @step(
        reason="starts a recorded download, or finds it started; retries outlast an outage of Temporal's front end",
        start_to_close_timeout=_DATABASE_TIMEOUT,
        maximum_attempts=OUTAGE_ATTEMPTS,
        initial_interval=_FIRST_RETRY_WAIT,
        local=True,
    )
    async def start_download_workflow(self, start: StartDownload) -> bool: ...


class RetrySteps(Protocol):
    @step(
        reason="reads the goals that are due; a goal that fails is due again at the next run",
        start_to_close_timeout=timedelta(seconds=60),
        maximum_attempts=3,
        initial_interval=_FIRST_RETRY_WAIT,
        local=True,
    )
    async def take_up_open_links(self, order: RetryRequest) -> PlannedRetries: ...

    @step(
        reason="a write per goal; a goal that is not postponed is due again two minutes later, which harms nothing",
        start_to_close_timeout=_DATABASE_TIMEOUT,
        maximum_attempts=5,
        initial_interval=_FIRST_RETRY_WAIT,
        local=True,
    )
    async def postpone_open_links(self, looks: PostponeRetries) -> bool: ...
