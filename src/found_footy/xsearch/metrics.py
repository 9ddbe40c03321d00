"""Metrics of the search service."""

from prometheus_client import Counter, Gauge, Histogram

SEARCHES = Counter("found_footy_xsearch_searches_total", "Searches by how they ended.", ["outcome"])
SEARCH_SECONDS = Histogram(
    "found_footy_xsearch_seconds", "Time of a search once it had its turn.", buckets=(1, 2, 3, 5, 8, 13, 21, 34)
)
VIDEOS_RETURNED = Counter("found_footy_xsearch_videos_total", "Videos returned.")
REJECTED_IDS = Counter("found_footy_xsearch_rejected_ids_total", "Posts refused because their id cannot be one.")
SEARCH_CALLS = Counter("found_footy_xsearch_calls_total", "Search calls that the page made.")
WITHHELD_CALLS = Counter("found_footy_xsearch_withheld_calls_total", "Search calls that the budget did not allow.")
BROWSER_RESTARTS = Counter("found_footy_xsearch_browser_restarts_total", "Times the browser had to be started again.")
BUDGET_LEFT = Gauge("found_footy_xsearch_budget_left", "Search calls that may still be made in this window.")
BUDGET_LIMIT = Gauge("found_footy_xsearch_budget_limit", "Search calls that may be made in a window.")
SESSION_STATE = Gauge("found_footy_xsearch_session", "1 for the present state of the log-in.", ["state"])
BROWSER_UP = Gauge("found_footy_xsearch_browser_up", "1 while the browser runs.")
CANARY_OK = Gauge("found_footy_xsearch_canary_ok", "1 if the last canary search found something.")
CANARY_TIME = Gauge("found_footy_xsearch_canary_timestamp_seconds", "When the last canary search ran.")
CONNECTIONS = Gauge("found_footy_xsearch_connections", "Open connections.")
CONNECTIONS_CLOSED = Counter("found_footy_xsearch_connections_closed_total", "Connections that we ended.", ["cause"])
SUCCESS_TIME = Gauge("found_footy_xsearch_success_timestamp_seconds", "When a search last succeeded.")
