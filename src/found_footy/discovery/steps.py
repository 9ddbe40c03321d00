"""Activity options of stage two: timeouts, attempts, and the reason for them."""

from datetime import timedelta

from found_footy.discovery.messages import (
    BuildSearch,
    GoalSearchProgress,
    PlannedRetries,
    PostponeRetries,
    RecordSearchState,
    RetryRequest,
    RunSearch,
    SaveAliases,
    SaveCandidates,
    SearchAnswer,
    SearchData,
    TakenCandidates,
    TeamAliases,
    TeamRef,
)
from found_footy.domain.messages import ClipBatch, Goal, ResolveAliases
from found_footy.platform.temporal import ActivityCall

_DATABASE_TIMEOUT = timedelta(seconds=30)
_FIRST_RETRY_WAIT = timedelta(seconds=2)
# For activities without which a goal would be lost: with intervals of up to a minute, this outlasts an outage of half
# an hour.
_OUTAGE_ATTEMPTS = 35

GET_CACHED_TEAM_ALIASES = ActivityCall(
    "get_cached_team_aliases",
    TeamRef,
    TeamAliases,
    reason="one read; a miss costs only a longer way round",
    start_to_close_timeout=_DATABASE_TIMEOUT,
    maximum_attempts=3,
    initial_interval=_FIRST_RETRY_WAIT,
    is_local=True,
)
GET_TEAM_ALIASES = ActivityCall(
    "get_team_aliases",
    ResolveAliases,
    TeamAliases,
    reason="several calls to a public service that may throttle; after three tries the table or the rules answer",
    start_to_close_timeout=timedelta(seconds=90),
    maximum_attempts=3,
    initial_interval=timedelta(seconds=5),
)
GET_TEAM_ALIASES_NOW = ActivityCall(
    "get_team_aliases",
    ResolveAliases,
    TeamAliases,
    reason="a goal waits: if Wikidata cannot answer at once, the built-in table or the rules do",
    start_to_close_timeout=timedelta(seconds=90),
    maximum_attempts=1,
)
SAVE_TEAM_ALIASES = ActivityCall(
    "save_team_aliases",
    SaveAliases,
    bool,
    reason="a cache write; the next goal of the team would repair a loss",
    start_to_close_timeout=_DATABASE_TIMEOUT,
    maximum_attempts=2,
    initial_interval=_FIRST_RETRY_WAIT,
    is_local=True,
)
SET_MONITOR_COMPLETE = ActivityCall(
    "set_monitor_complete",
    Goal,
    bool,
    reason="proves to the monitor that the search runs; if it fails the monitor starts the search again",
    start_to_close_timeout=_DATABASE_TIMEOUT,
    maximum_attempts=5,
    initial_interval=_FIRST_RETRY_WAIT,
    is_local=True,
)
GET_DOWNLOAD_WORKFLOW_COUNT = ActivityCall(
    "get_download_workflow_count",
    Goal,
    GoalSearchProgress,
    reason="decides whether the loop goes on; the search outlasts an outage of the database",
    start_to_close_timeout=_DATABASE_TIMEOUT,
    maximum_attempts=_OUTAGE_ATTEMPTS,
    initial_interval=_FIRST_RETRY_WAIT,
    is_local=True,
)
CHECK_EVENT_EXISTS = ActivityCall(
    "check_event_exists",
    Goal,
    bool,
    reason="a goal struck out must stop its search, an outage must not",
    start_to_close_timeout=_DATABASE_TIMEOUT,
    maximum_attempts=_OUTAGE_ATTEMPTS,
    initial_interval=_FIRST_RETRY_WAIT,
    is_local=True,
)
GET_TWITTER_SEARCH_DATA = ActivityCall(
    "get_twitter_search_data",
    BuildSearch,
    SearchData,
    reason="one read; without it known links would be fetched again",
    start_to_close_timeout=_DATABASE_TIMEOUT,
    maximum_attempts=_OUTAGE_ATTEMPTS,
    initial_interval=_FIRST_RETRY_WAIT,
    is_local=True,
)
EXECUTE_TWITTER_SEARCH = ActivityCall(
    "execute_twitter_search",
    RunSearch,
    SearchAnswer,
    reason="a browser answers in seconds, but has to be waited for in line and for a turn; three failures are a pause",
    start_to_close_timeout=timedelta(seconds=240),
    maximum_attempts=3,
    initial_interval=timedelta(seconds=10),
    backoff_coefficient=1.5,
    heartbeat_timeout=timedelta(seconds=30),
)
SAVE_DISCOVERED_VIDEOS = ActivityCall(
    "save_discovered_videos",
    SaveCandidates,
    TakenCandidates,
    reason="records the attempt before its download starts; must not be lost",
    start_to_close_timeout=_DATABASE_TIMEOUT,
    maximum_attempts=_OUTAGE_ATTEMPTS,
    initial_interval=_FIRST_RETRY_WAIT,
    is_local=True,
)
RECORD_SEARCH_STATE = ActivityCall(
    "record_search_state",
    RecordSearchState,
    bool,
    reason="tells people why a search waits, and the archive that no more attempts will come",
    start_to_close_timeout=_DATABASE_TIMEOUT,
    maximum_attempts=_OUTAGE_ATTEMPTS,
    initial_interval=_FIRST_RETRY_WAIT,
)
CHECK_AND_MARK_DOWNLOAD_COMPLETE = ActivityCall(
    "check_and_mark_download_complete",
    ClipBatch,
    bool,
    reason="the last attempt may have been delivered before the search gave up; nobody else would look again soon",
    start_to_close_timeout=_DATABASE_TIMEOUT,
    maximum_attempts=_OUTAGE_ATTEMPTS,
    initial_interval=_FIRST_RETRY_WAIT,
)
TAKE_UP_OPEN_LINKS = ActivityCall(
    "take_up_open_links",
    RetryRequest,
    PlannedRetries,
    reason="reads the goals that are due; what fails is due again at the next look",
    start_to_close_timeout=timedelta(seconds=60),
    maximum_attempts=3,
    initial_interval=_FIRST_RETRY_WAIT,
    is_local=True,
)
POSTPONE_OPEN_LINKS = ActivityCall(
    "postpone_open_links",
    PostponeRetries,
    bool,
    reason="a write per goal; a goal that is not postponed is looked through two minutes later, which harms nothing",
    start_to_close_timeout=_DATABASE_TIMEOUT,
    maximum_attempts=5,
    initial_interval=_FIRST_RETRY_WAIT,
    is_local=True,
)
