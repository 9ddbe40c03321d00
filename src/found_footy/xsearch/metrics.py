"""Metrics of the search service."""

from prometheus_client import Counter, Gauge, Histogram

SEARCHES = Counter("found_footy_xsearch_searches_total", "Searches by outcome.", ["outcome"])
SEARCH_SECONDS = Histogram(
    "found_footy_xsearch_seconds",
    "Duration of a search, without waiting for the throttle.",
    buckets=(1, 2, 3, 5, 8, 13, 21, 34),
)
VIDEOS_RETURNED = Counter("found_footy_xsearch_videos_total", "Videos returned.")
REJECTED_IDS = Counter("found_footy_xsearch_rejected_ids_total", "Posts rejected because their id is not valid.")
SEARCH_CALLS = Counter("found_footy_xsearch_calls_total", "Search calls that the page made.")
WITHHELD_CALLS = Counter("found_footy_xsearch_withheld_calls_total", "Search calls that the budget did not allow.")
BROWSER_RESTARTS = Counter("found_footy_xsearch_browser_restarts_total", "Restarts of the browser.")
BUDGET_LEFT = Gauge("found_footy_xsearch_budget_left", "Search calls that may still be made in this window.")
BUDGET_LIMIT = Gauge("found_footy_xsearch_budget_limit", "Search calls that may be made in a window.")
SESSION_STATE = Gauge("found_footy_xsearch_session", "1 for the present state of the session.", ["state"])
BROWSER_UP = Gauge("found_footy_xsearch_browser_up", "1 while the browser runs.")
CANARY_OK = Gauge("found_footy_xsearch_canary_ok", "1 if the last canary search found something.")
CANARY_TIME = Gauge("found_footy_xsearch_canary_timestamp_seconds", "When the last canary search ran.")
CONNECTIONS = Gauge("found_footy_xsearch_connections", "Open connections.")
CONNECTIONS_CLOSED = Counter(
    "found_footy_xsearch_connections_closed_total", "Connections closed by the service, by cause.", ["cause"]
)
SUCCESS_TIME = Gauge("found_footy_xsearch_success_timestamp_seconds", "When a search last succeeded.")
