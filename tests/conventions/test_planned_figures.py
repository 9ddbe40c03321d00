"""docs/figures.md names every activity whose timeout or attempts differ from the first specification."""

import re
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from found_footy.archive.steps import ArchiveSteps
from found_footy.clips.steps import ClipSteps
from found_footy.discovery.steps import ALIASES_NOW_OPTIONS, DiscoverySteps
from found_footy.fixtures.steps import FixtureSteps
from found_footy.goal_steps import GoalCompletionSteps
from found_footy.platform.temporal.steps import StepOptions, get_step_options
from tests.support.steps import StepDeclaration

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


# The first plan's figures, by the step that has them here and the use of it.
PLANNED: list[tuple[StepDeclaration, str, Figures]] = [
    (FixtureSteps.fetch_todays_fixtures, "", Figures(30, 3)),
    (FixtureSteps.fetch_fixtures_by_ids, "", Figures(30, 3)),
    (FixtureSteps.categorize_and_store_fixtures, "", Figures(30, 3)),
    (FixtureSteps.cleanup_old_fixtures, "", Figures(120, 2)),
    (FixtureSteps.fetch_staging_fixtures, "", Figures(60, 3)),
    (FixtureSteps.pre_activate_upcoming_fixtures, "", Figures(30, 2)),
    (FixtureSteps.fetch_active_fixtures, "", Figures(15, 2)),
    (FixtureSteps.store_and_compare, "", Figures(10, 3)),
    (FixtureSteps.process_fixture_events, "", Figures(60, 3)),
    (FixtureSteps.check_twitter_workflow_running, "", Figures(10, 2)),
    (FixtureSteps.complete_fixture_if_ready, "", Figures(10, 3)),
    (DiscoverySteps.get_cached_team_aliases, "", Figures(30, 3)),
    (DiscoverySteps.get_team_aliases, "ahead", Figures(60, 2)),
    (DiscoverySteps.get_team_aliases, "goal", Figures(90, 3)),
    (DiscoverySteps.save_team_aliases, "", Figures(30, 2)),
    (DiscoverySteps.set_monitor_complete, "", Figures(30, 5)),
    (DiscoverySteps.get_twitter_search_data, "", Figures(30, 3)),
    (DiscoverySteps.execute_twitter_search, "", Figures(60, 3, 15)),
    (DiscoverySteps.save_discovered_videos, "", Figures(30, 3)),
    (ClipSteps.register_download_workflow, "", Figures(30, 5)),
    (ClipSteps.download_single_video, "", Figures(90, 3)),
    (ClipSteps.validate_video_is_soccer, "", Figures(90, 4)),
    (ClipSteps.generate_video_hash, "", Figures(None, 2, 60)),
    (ClipSteps.cleanup_download_temp, "", Figures(30, 2)),
    (ClipSteps.queue_videos_for_upload, "", Figures(60, 3)),
    (ArchiveSteps.fetch_event_data, "", Figures(30, 3)),
    (ArchiveSteps.deduplicate_videos, "", Figures(3600, 3, 120)),
    (ArchiveSteps.upload_single_video, "", Figures(60, 3)),
    (ArchiveSteps.replace_s3_video, "", Figures(30, 3)),
    (ArchiveSteps.save_video_objects, "", Figures(30, 3)),
    (ArchiveSteps.cleanup_individual_files, "", Figures(30, 2)),
    (ArchiveSteps.cleanup_upload_temp, "", Figures(30, 2)),
    (GoalCompletionSteps.check_and_mark_download_complete, "", Figures(30, 3)),
]


# Uses of a step with other options than its own.
OPTIONS_BY_USE: dict[tuple[str, str], StepOptions] = {("get_team_aliases", "goal"): ALIASES_NOW_OPTIONS}


def figures_of(step: StepDeclaration, use: str) -> Figures:
    def whole(duration: timedelta) -> int:
        return round(duration.total_seconds())

    options = OPTIONS_BY_USE.get((step.__name__, use)) or get_step_options(step)
    return Figures(
        whole(options.start_to_close_timeout),
        options.maximum_attempts,
        whole(options.heartbeat_timeout) if options.heartbeat_timeout else None,
    )


def test_the_page_lists_every_difference_with_its_figures_and_a_reason() -> None:
    rows = {(name, use): (planned, here) for name, use, planned, here, _ in ROW.findall(PAGE.read_text("utf-8"))}
    differing = {
        (step.__name__, use): (str(planned), str(figures_of(step, use)))
        for step, use, planned in PLANNED
        if figures_of(step, use) != planned
    }
    assert len(differing) > 10
    assert rows == differing
