"""How long each of stage two's steps may take, how often it is tried, and why."""

from datetime import timedelta

from found_footy.discovery.messages import (
    BuildSearch,
    NextLooks,
    Progress,
    RecordSearchState,
    RetryOrder,
    RunSearch,
    SaveAliases,
    SaveDiscovered,
    SearchAnswer,
    SearchData,
    Taken,
    TakenUp,
    TeamAliases,
    TeamRef,
)
from found_footy.model.handoff import ClipBatch, Goal, ResolveAliases
from found_footy.platform.temporal import Step

_THIRTY = timedelta(seconds=30)
_TWO = timedelta(seconds=2)
# For steps without which a goal would be forgotten: with waits of up to a minute, this outlasts half an hour of outage.
_PATIENT = 35

GET_CACHED_ALIASES = Step(
    "get_cached_team_aliases", TeamRef, TeamAliases,
    reason="one read; a miss costs only a longer way round",
    start_to_close=_THIRTY, attempts=3, first_wait=_TWO, at_hand=True,
)  # fmt: skip
GET_ALIASES = Step(
    "get_team_aliases", ResolveAliases, TeamAliases,
    reason="several calls to a public service that may throttle; after three tries the table or the rules answer",
    start_to_close=timedelta(seconds=90), attempts=3, first_wait=timedelta(seconds=5),
)  # fmt: skip
GET_ALIASES_NOW = Step(
    "get_team_aliases", ResolveAliases, TeamAliases,
    reason="a goal waits: if Wikidata cannot answer at once, the built-in table or the rules do",
    start_to_close=timedelta(seconds=90), attempts=1,
)  # fmt: skip
SAVE_ALIASES = Step(
    "save_team_aliases", SaveAliases, bool,
    reason="a cache write; the next goal of the team would repair a loss",
    start_to_close=_THIRTY, attempts=2, first_wait=_TWO, at_hand=True,
)  # fmt: skip
SET_MONITOR_COMPLETE = Step(
    "set_monitor_complete", Goal, bool,
    reason="proves to the monitor that the search runs; if it fails the monitor starts the search again",
    start_to_close=_THIRTY, attempts=5, first_wait=_TWO, at_hand=True,
)  # fmt: skip
GET_DOWNLOAD_COUNT = Step(
    "get_download_workflow_count", Goal, Progress,
    reason="decides whether the loop goes on; the search outlasts an outage of the database",
    start_to_close=_THIRTY, attempts=_PATIENT, first_wait=_TWO, at_hand=True,
)  # fmt: skip
CHECK_EVENT_EXISTS = Step(
    "check_event_exists", Goal, bool,
    reason="a goal struck out must stop its search, an outage must not",
    start_to_close=_THIRTY, attempts=_PATIENT, first_wait=_TWO, at_hand=True,
)  # fmt: skip
GET_SEARCH_DATA = Step(
    "get_twitter_search_data", BuildSearch, SearchData,
    reason="one read; without it known links would be fetched again",
    start_to_close=_THIRTY, attempts=_PATIENT, first_wait=_TWO, at_hand=True,
)  # fmt: skip
EXECUTE_SEARCH = Step(
    "execute_twitter_search", RunSearch, SearchAnswer,
    reason="a browser answers in seconds, but has to be waited for in line and for a turn; three failures are a pause",
    start_to_close=timedelta(seconds=240), attempts=3, first_wait=timedelta(seconds=10), backoff=1.5,
    heartbeat=timedelta(seconds=30),
)  # fmt: skip
SAVE_DISCOVERED = Step(
    "save_discovered_videos", SaveDiscovered, Taken,
    reason="records the attempt before its download starts; must not be lost",
    start_to_close=_THIRTY, attempts=_PATIENT, first_wait=_TWO, at_hand=True,
)  # fmt: skip
RECORD_SEARCH_STATE = Step(
    "record_search_state", RecordSearchState, bool,
    reason="tells people why a search waits, and the archive that no more attempts will come",
    start_to_close=_THIRTY, attempts=_PATIENT, first_wait=_TWO,
)  # fmt: skip
CHECK_COMPLETE = Step(
    "check_and_mark_download_complete", ClipBatch, bool,
    reason="the last attempt may have been delivered before the search gave up; nobody else would look again soon",
    start_to_close=_THIRTY, attempts=_PATIENT, first_wait=_TWO,
)  # fmt: skip
TAKE_UP_OPEN_LINKS = Step(
    "take_up_open_links", RetryOrder, TakenUp,
    reason="reads the goals that are due; what fails is due again at the next look",
    start_to_close=timedelta(seconds=60), attempts=3, first_wait=_TWO, at_hand=True,
)  # fmt: skip
POSTPONE_OPEN_LINKS = Step(
    "postpone_open_links", NextLooks, bool,
    reason="a write per goal; a goal that is not postponed is looked through two minutes later, which harms nothing",
    start_to_close=_THIRTY, attempts=5, first_wait=_TWO, at_hand=True,
)  # fmt: skip
