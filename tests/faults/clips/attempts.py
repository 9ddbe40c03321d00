"""DownloadWorkflow as the test itself orders it, with a stand-in for the archive and short patience."""

from dataclasses import replace
from datetime import timedelta

import pytest
from temporalio import workflow
from temporalio.client import Client, WorkflowHandle
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from found_footy.clips import download_workflow, policies
from found_footy.clips.download_workflow import DownloadWorkflow
from found_footy.clips.messages import DownloadEnded
from found_footy.discovery.search_pool import parse_found
from found_footy.model.handoff import DOWNLOAD_WORKFLOW, ClipBatch, DownloadClips, Goal, Queues, StartUpload
from found_footy.model.ids import download_workflow_id, upload_workflow_id
from found_footy.platform.temporal import Step
from tests.pipeline.goals import a_pace
from tests.pipeline.outside import Outside

Handle = WorkflowHandle[object, DownloadEnded]
HEAVY = ("FETCH", "VALIDATE", "HASH")


@workflow.defn(name="UploadWorkflow", sandboxed=False)
class Letterbox:
    """Keeps what is delivered for one goal."""

    def __init__(self) -> None:
        self._batches: list[ClipBatch] = []

    @workflow.run
    async def run(self, start: StartUpload) -> None:
        del start
        await workflow.wait_condition(lambda: False)

    @workflow.signal
    def add_videos(self, batch: ClipBatch) -> None:
        self._batches.append(batch)

    @workflow.query
    def batches(self) -> list[ClipBatch]:
        return self._batches


def ordering(temporal: Client, queues: Queues) -> Worker:
    """Runs the workflows and no activity. Many of them at once keep a busy machine's processor waiting, which is no
    deadlock; without a sandbox they take the steps as `hurry` has made them.
    """
    return Worker(
        temporal,
        task_queue=queues.main,
        workflows=[DownloadWorkflow, Letterbox],
        workflow_runner=UnsandboxedWorkflowRunner(),
        debug_mode=True,
    )


def hurry(monkeypatch: pytest.MonkeyPatch, quick: timedelta, heavy: timedelta) -> None:
    """A worker that was killed is given up soon, and every step tried again at once."""
    for name, step in list(vars(policies).items()):
        if isinstance(step, Step):
            patience = heavy if name in HEAVY else quick
            soon = replace(
                step,
                start_to_close=patience,
                heartbeat=None,
                attempts=50,
                first_wait=timedelta(milliseconds=50),
                longest_wait=timedelta(milliseconds=500),
            )
            monkeypatch.setattr(download_workflow, name, soon)


async def start(temporal: Client, queues: Queues, goal: Goal, outside: Outside, *numbers: int) -> Handle:
    videos = parse_found({"videos": [outside.video(number) for number in numbers]}).videos
    return await temporal.start_workflow(
        DOWNLOAD_WORKFLOW,
        DownloadClips(goal, a_pace(queues), 1, videos),
        id=download_workflow_id(goal.slug, goal.event_id, 1),
        task_queue=queues.main,
        result_type=DownloadEnded,
    )


async def delivered(temporal: Client, goal: Goal) -> list[ClipBatch]:
    """What the archive was given, once each; the letterbox is closed after that."""
    handle = temporal.get_workflow_handle(upload_workflow_id(goal.event_id))
    batches = await handle.query(Letterbox.batches)
    await handle.terminate()
    return list({batch.download_id: batch for batch in batches}.values())
