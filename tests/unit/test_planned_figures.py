"""The decision page on figures that differ from the first plan says what the policies say, and leaves none out."""

import re
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from found_footy.archive import policies as archive
from found_footy.clips import policies as clips
from found_footy.discovery import policies as discovery
from found_footy.fixtures import policies as fixtures
from found_footy.platform.temporal import Step

PAGE = Path(__file__).resolve().parents[2] / "docs/decisions/093-figures-that-differ-from-the-first-plan.md"
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
PLANNED: list[tuple[Step[Any, Any], str, Figures]] = [
    (fixtures.FETCH_TODAYS_FIXTURES, "", Figures(30, 3)),
    (fixtures.FETCH_FIXTURES_BY_IDS, "", Figures(30, 3)),
    (fixtures.CATEGORIZE_AND_STORE, "", Figures(30, 3)),
    (fixtures.CLEAN_UP_OLD_FIXTURES, "", Figures(120, 2)),
    (fixtures.FETCH_STAGING_FIXTURES, "", Figures(60, 3)),
    (fixtures.PRE_ACTIVATE_UPCOMING, "", Figures(30, 2)),
    (fixtures.FETCH_ACTIVE_FIXTURES, "", Figures(15, 2)),
    (fixtures.STORE_AND_COMPARE, "", Figures(10, 3)),
    (fixtures.PROCESS_FIXTURE_EVENTS, "", Figures(60, 3)),
    (fixtures.CHECK_TWITTER_WORKFLOWS, "", Figures(10, 2)),
    (fixtures.COMPLETE_FIXTURE_IF_READY, "", Figures(10, 3)),
    (discovery.GET_CACHED_ALIASES, "", Figures(30, 3)),
    (discovery.GET_ALIASES, "ahead", Figures(60, 2)),
    (discovery.GET_ALIASES_NOW, "goal", Figures(90, 3)),
    (discovery.SAVE_ALIASES, "", Figures(30, 2)),
    (discovery.SET_MONITOR_COMPLETE, "", Figures(30, 5)),
    (discovery.GET_DOWNLOAD_COUNT, "", Figures(30, 3)),
    (discovery.CHECK_EVENT_EXISTS, "search", Figures(30, 3)),
    (discovery.GET_SEARCH_DATA, "", Figures(30, 3)),
    (discovery.EXECUTE_SEARCH, "", Figures(60, 3, 15)),
    (discovery.SAVE_DISCOVERED, "", Figures(30, 3)),
    (clips.REGISTER, "", Figures(30, 5)),
    (clips.CHECK_EVENT_EXISTS, "download", Figures(30, 1)),
    (clips.FETCH, "", Figures(90, 3)),
    (clips.VALIDATE, "", Figures(90, 4)),
    (clips.HASH, "", Figures(None, 2, 60)),
    (clips.CLEAN_UP, "", Figures(30, 2)),
    (clips.QUEUE, "", Figures(60, 3)),
    (archive.FETCH_EVENT_DATA, "", Figures(30, 3)),
    (archive.DEDUPLICATE_BY_MD5, "", Figures(30, 2)),
    (archive.DEDUPLICATE_VIDEOS, "", Figures(3600, 3, 120)),
    (archive.UPLOAD_SINGLE_VIDEO, "", Figures(60, 3)),
    (archive.REPLACE_S3_VIDEO, "", Figures(30, 3)),
    (archive.SAVE_VIDEO_OBJECTS, "", Figures(30, 3)),
    (archive.CLEANUP_INDIVIDUAL_FILES, "", Figures(30, 2)),
    (archive.CLEANUP_UPLOAD_TEMP, "", Figures(30, 2)),
    (archive.CHECK_COMPLETE, "", Figures(30, 3)),
]


def figures_of(step: Step[Any, Any]) -> Figures:
    def whole(duration: timedelta) -> int:
        return round(duration.total_seconds())

    return Figures(whole(step.start_to_close), step.attempts, whole(step.heartbeat) if step.heartbeat else None)


def test_every_difference_stands_on_the_page_with_its_figures_and_a_reason() -> None:
    rows = {(name, use): (planned, here) for name, use, planned, here, _ in ROW.findall(PAGE.read_text("utf-8"))}
    differing = {
        (step.name, use): (str(planned), str(figures_of(step)))
        for step, use, planned in PLANNED
        if figures_of(step) != planned
    }
    assert len(differing) > 10
    assert rows == differing
