"""Metrics of stage two."""

from prometheus_client import Counter, Gauge, Histogram

from found_footy.discovery.sources.health import SearchPoolReport

SEARCHES = Counter("found_footy_searches_total", "Searches by result.", ["state"])
SOURCE_SEARCHES = Counter(
    "found_footy_source_searches_total", "Searches of each source, by result.", ["source", "result"]
)
VIDEOS_FOUND = Counter("found_footy_videos_found_total", "Videos that searches returned.")
CANDIDATES = Counter(
    "found_footy_links_total",
    "Candidates that searches found or that were retried, by what was done with them.",
    ["done"],
)
REJECTED_IDS = Counter("found_footy_refused_tweet_ids_total", "Results dropped because their post id is not valid.")
ALIAS_LOOKUPS = Counter(
    "found_footy_team_aliases_total", "Alias look-ups of teams, by the source that answered.", ["source"]
)
ALIAS_FAILURES = Counter("found_footy_alias_source_failures_total", "Failed requests to alias sources.", ["source"])

SEARCH_WAIT = Histogram(
    "found_footy_search_wait_seconds",
    "Time a search waited for a search service.",
    buckets=(0.01, 0.1, 1, 5, 10, 20, 40, 80),
)
SEARCHES_WAITING = Gauge("found_footy_searches_waiting", "Searches that wait for a search service in this process.")
SEARCH_SERVICES = Gauge("found_footy_search_services", "Search services that are configured.")
HEALTHY_SEARCH_SERVICES = Gauge("found_footy_search_services_fit", "Search services that are healthy.")
BUDGET_LEFT = Gauge(
    "found_footy_search_budget_left", "Search calls left in the budgets of all search services together."
)
BUDGET_LIMIT = Gauge(
    "found_footy_search_budget_limit", "Search calls per window that the budgets of all search services allow together."
)


def publish_pool_report(report: SearchPoolReport) -> None:
    SEARCHES_WAITING.set(report.waiting)
    SEARCH_SERVICES.set(len(report.instances))
    HEALTHY_SEARCH_SERVICES.set(report.healthy_count)
    BUDGET_LEFT.set(report.budget_left)
    BUDGET_LIMIT.set(report.budget_limit)
