"""docs/figures.md names every activity whose timeout or attempts differ from the first specification."""

import re
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from found_footy.archive import steps as archive
from found_footy.clips import steps as clips
from found_footy.discovery import steps as discovery
from found_footy.fixtures import steps as fixtures
from found_footy.platform.temporal import ActivityCall

PAGE = Path(__file__).resolve().parents[2] / "docs/figures.md"
ROW = re.compile(r"\| `(\w+)`(?: \((\w+)\))? \| ([^|]+?) \| ([^|]+?) \| ([^|]+?) \|")


@dataclass(frozen=True)
class Figures:
    """Seconds that one try may take (None: not said), tries, and seconds between two heartbeats (None: none)."""

    seconds: int | None
    tries: int
    heartbeat: int | None = None

    def __str__(self) -> str:
        limit = "no limit" if self.seconds is None else f"{self.seconds} s"
        return f"{limit} × {self.tries}" + (f", heartbeat {self.heartbeat} s" if self.heartbeat else "")


# The first plan's figures, by the step that has them here.
PLANNED: list[tuple[ActivityCall[Any, Any], str, Figures]] = [
    (fixtures.FETCH_TODAYS_FIXTURES, "", Figures(30, 3)),
    (fixtures.FETCH_FIXTURES_BY_IDS, "", Figures(30, 3)),
    (fixtures.CATEGORIZE_AND_STORE_FIXTURES, "", Figures(30, 3)),
    (fixtures.CLEANUP_OLD_FIXTURES, "", Figures(120, 2)),
    (fixtures.FETCH_STAGING_FIXTURES, "", Figures(60, 3)),
    (fixtures.PRE_ACTIVATE_UPCOMING_FIXTURES, "", Figures(30, 2)),
    (fixtures.FETCH_ACTIVE_FIXTURES, "", Figures(15, 2)),
    (fixtures.STORE_AND_COMPARE, "", Figures(10, 3)),
    (fixtures.PROCESS_FIXTURE_EVENTS, "", Figures(60, 3)),
    (fixtures.CHECK_TWITTER_WORKFLOW_RUNNING, "", Figures(10, 2)),
    (fixtures.COMPLETE_FIXTURE_IF_READY, "", Figures(10, 3)),
    (discovery.GET_CACHED_TEAM_ALIASES, "", Figures(30, 3)),
    (discovery.GET_TEAM_ALIASES, "ahead", Figures(60, 2)),
    (discovery.GET_TEAM_ALIASES_NOW, "goal", Figures(90, 3)),
    (discovery.SAVE_TEAM_ALIASES, "", Figures(30, 2)),
    (discovery.SET_MONITOR_COMPLETE, "", Figures(30, 5)),
    (discovery.GET_DOWNLOAD_WORKFLOW_COUNT, "", Figures(30, 3)),
    (discovery.CHECK_EVENT_EXISTS, "search", Figures(30, 3)),
    (discovery.GET_TWITTER_SEARCH_DATA, "", Figures(30, 3)),
    (discovery.EXECUTE_TWITTER_SEARCH, "", Figures(60, 3, 15)),
    (discovery.SAVE_DISCOVERED_VIDEOS, "", Figures(30, 3)),
    (clips.REGISTER_DOWNLOAD_WORKFLOW, "", Figures(30, 5)),
    (clips.CHECK_EVENT_EXISTS, "download", Figures(30, 1)),
    (clips.DOWNLOAD_SINGLE_VIDEO, "", Figures(90, 3)),
    (clips.VALIDATE_VIDEO_IS_SOCCER, "", Figures(90, 4)),
    (clips.GENERATE_VIDEO_HASH, "", Figures(None, 2, 60)),
    (clips.CLEANUP_DOWNLOAD_TEMP, "", Figures(30, 2)),
    (clips.QUEUE_VIDEOS_FOR_UPLOAD, "", Figures(60, 3)),
    (archive.FETCH_EVENT_DATA, "", Figures(30, 3)),
    (archive.DEDUPLICATE_BY_MD5, "", Figures(30, 2)),
    (archive.DEDUPLICATE_VIDEOS, "", Figures(3600, 3, 120)),
    (archive.UPLOAD_SINGLE_VIDEO, "", Figures(60, 3)),
    (archive.REPLACE_S3_VIDEO, "", Figures(30, 3)),
    (archive.SAVE_VIDEO_OBJECTS, "", Figures(30, 3)),
    (archive.CLEANUP_INDIVIDUAL_FILES, "", Figures(30, 2)),
    (archive.CLEANUP_UPLOAD_TEMP, "", Figures(30, 2)),
    (archive.CHECK_AND_MARK_DOWNLOAD_COMPLETE, "", Figures(30, 3)),
]


def figures_of(step: ActivityCall[Any, Any]) -> Figures:
    def whole(duration: timedelta) -> int:
        return round(duration.total_seconds())

    return Figures(
        whole(step.start_to_close_timeout),
        step.maximum_attempts,
        whole(step.heartbeat_timeout) if step.heartbeat_timeout else None,
    )


def test_every_difference_stands_on_the_page_with_its_figures_and_a_reason() -> None:
    rows = {(name, use): (planned, here) for name, use, planned, here, _ in ROW.findall(PAGE.read_text("utf-8"))}
    differing = {
        (step.name, use): (str(planned), str(figures_of(step)))
        for step, use, planned in PLANNED
        if figures_of(step) != planned
    }
    assert len(differing) > 10
    assert rows == differing
