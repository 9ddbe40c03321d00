"""What happened to a goal, read from the worker's log by its id alone."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from found_footy.platform import logs
from tests.integration.archive.test_goal_to_clip import search_to_the_end
from tests.support.media.small_videos import mp4
from tests.support.pipeline.goals import make_goal, make_pace, store_goals
from tests.support.pipeline.outside import OutsideServices
from tests.support.pipeline.services import PipelineServices, running_worker

pytestmark = pytest.mark.usefixtures("sound_records")


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = io.StringIO()
    logs.configure_logging("INFO", "json", "worker", stream)
    yield stream
    logging.captureWarnings(False)
    root.handlers[:] = handlers
    root.setLevel(level)


def of_action(lines: list[dict[str, Any]], action: str) -> list[dict[str, Any]]:
    return [line for line in lines if line["action"] == action]


async def test_the_log_has_every_step_of_a_goal_under_its_id(
    pipeline: PipelineServices, outside: OutsideServices, stream: io.StringIO
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    outside.files = {"/1.mp4": mp4(1), "/2.mp4": mp4(1), "/3.mp4": mp4(3, seconds=1.0)}
    outside.finds([outside.video(number) for number in (1, 2, 3)])
    async with running_worker(pipeline):
        await search_to_the_end(pipeline, goal, make_pace(pipeline.queues))
    lines = [line for line in map(json.loads, stream.getvalue().splitlines()) if line.get("event_id") == goal.event_id]
    first, *_ = of_action(lines, "searched")
    assert (first["found"], first["new"], len(first["taken"])) == (3, 3, 3)
    assert first["query"] == "(Florian OR Wirtz) Liverpool"
    assert first["sources"] == ["x"]
    assert len(of_action(lines, "fetched")) == 2
    assert [line["outcome"] for line in of_action(lines, "fetch_refused")] == ["filtered_duration"]
    assert [line["verdict"] for line in of_action(lines, "looked")] == ["unverified"]
    assert (len(of_action(lines, "uploaded")), len(of_action(lines, "duplicate"))) == (1, 1)
    assert [line["reason"] for line in of_action(lines, "complete")] == ["delivered"]
    # The last task of a workflow that a crowded machine makes late is run again, and told again.
    assert {line["state"] for line in of_action(lines, "search_ended")} == {"finished"}
    # The second attempt found nothing, so it has no download; the last one always has.
    assert len({line["workflow_id"] for line in of_action(lines, "download_ended")}) == 2
    assert all(line["module"].startswith("found_footy.") and line["workflow_id"] for line in lines)
