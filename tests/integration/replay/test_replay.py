"""Every workflow that may be running somewhere can go on with the code as it is now.

A history that no longer replays means that running workflows would break. Before the first release such a change
records the histories again; after it, it needs `workflow.patched`, and the old history stays.
"""

import json
from pathlib import Path

import pytest
from temporalio import workflow
from temporalio.client import WorkflowHistory
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Replayer

from found_footy.clips.messages import DownloadResult
from found_footy.domain.messages import DownloadClips
from found_footy.worker import WORKFLOWS

HISTORIES = sorted((Path(__file__).parent / "histories").glob("*.json"))


def read(path: Path) -> WorkflowHistory:
    return WorkflowHistory.from_json(path.stem, path.read_text(encoding="utf-8"))


def workflow_type(path: Path) -> str:
    started = json.loads(path.read_text(encoding="utf-8"))["events"][0]["workflowExecutionStartedEventAttributes"]
    name: str = started["workflowType"]["name"]
    return name


@pytest.mark.parametrize("path", HISTORIES, ids=lambda path: path.stem)
async def test_a_recorded_history_replays(path: Path) -> None:
    replayer = Replayer(workflows=WORKFLOWS, data_converter=pydantic_data_converter)
    await replayer.replay_workflow(read(path))


@pytest.mark.parametrize("kind", WORKFLOWS, ids=lambda kind: kind.__name__)
def test_every_workflow_has_a_history(kind: type) -> None:
    assert kind.__name__ in {workflow_type(path) for path in HISTORIES}


@workflow.defn(name="DownloadWorkflow", sandboxed=False)
class Changed:
    """A DownloadWorkflow that forgets to register."""

    @workflow.run
    async def run(self, work: DownloadClips) -> DownloadResult:
        return DownloadResult(len(work.videos), 0)


async def test_a_change_that_breaks_running_workflows_is_noticed() -> None:
    path = next(path for path in HISTORIES if workflow_type(path) == "DownloadWorkflow")
    replayer = Replayer(workflows=[Changed], data_converter=pydantic_data_converter)
    with pytest.raises(workflow.NondeterminismError):
        await replayer.replay_workflow(read(path))


@pytest.mark.parametrize("path", HISTORIES, ids=lambda path: path.stem)
def test_a_history_contains_nothing_about_the_machine_it_was_recorded_on(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert str(Path(__file__).parents[3]) not in text
    assert '"stackTrace": "  ' not in text
