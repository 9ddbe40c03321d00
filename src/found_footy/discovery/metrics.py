"""Metrics of stage two."""

from prometheus_client import Counter, Gauge, Histogram

from found_footy.discovery.sources.health import SearchPoolReport

SEARCHES = Counter("found_footy_searches_total", "Searches by how they ended.", ["state"])
SOURCE_SEARCHES = Counter(
    "found_footy_source_searches_total", "Searches of each source, by result.", ["source", "result"]
)
VIDEOS_FOUND = Counter("found_footy_videos_found_total", "Videos that searches returned.")
CANDIDATES = Counter(
    "found_footy_links_total", "Links that searches found or took up again, by what was done with them.", ["done"]
)
REJECTED_IDS = Counter("found_footy_refused_tweet_ids_total", "Results dropped because their post id cannot be one.")
ALIAS_LOOKUPS = Counter(
    "found_footy_team_aliases_total", "Teams whose aliases were looked up, by who answered.", ["source"]
)
ALIAS_FAILURES = Counter(
    "found_footy_alias_source_failures_total", "Alias sources that could not be asked.", ["source"]
)

SEARCH_WAIT = Histogram(
    "found_footy_search_wait_seconds",
    "Time a search stood in line for a search service.",
    buckets=(0.01, 0.1, 1, 5, 10, 20, 40, 80),
)
SEARCHES_WAITING = Gauge("found_footy_searches_waiting", "Searches that stand in line in this process.")
SEARCH_SERVICES = Gauge("found_footy_search_services", "Search services that this process knows.")
HEALTHY_SEARCH_SERVICES = Gauge("found_footy_search_services_fit", "Search services that may be asked.")
BUDGET_LEFT = Gauge("found_footy_search_budget_left", "Searches left in the budgets of all search services together.")
BUDGET_LIMIT = Gauge("found_footy_search_budget_limit", "Searches that all budgets together allow in their window.")


def publish_pool_report(report: SearchPoolReport) -> None:
    SEARCHES_WAITING.set(report.waiting)
    SEARCH_SERVICES.set(len(report.instances))
    HEALTHY_SEARCH_SERVICES.set(report.healthy_count)
    BUDGET_LEFT.set(report.budget_left)
    BUDGET_LIMIT.set(report.budget_limit)
