"""DownloadWorkflow with a stand-in for the archive and short patience."""

from dataclasses import replace
from datetime import timedelta

from temporalio import workflow
from temporalio.client import Client, WorkflowHandle

from found_footy.clips import download_workflow, policies
from found_footy.clips.messages import DownloadEnded
from found_footy.discovery.search_pool import parse_found
from found_footy.model.handoff import (
    DOWNLOAD_WORKFLOW,
    ClipBatch,
    DownloadClips,
    Goal,
    Queues,
    ScreenedClip,
    StartUpload,
)
from found_footy.model.ids import download_workflow_id, upload_workflow_id
from found_footy.platform.temporal import Step
from tests.pipeline.goals import a_pace
from tests.pipeline.outside import Outside

Handle = WorkflowHandle[object, DownloadEnded]
HEAVY = ("FETCH", "VALIDATE", "HASH")
# Who is killed between two steps is missed after this.
TASK_TIMEOUT = timedelta(seconds=3)


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


def hurry(quick: timedelta, heavy: timedelta) -> None:
    """For the rest of this process: a worker that was killed is given up soon, and every step tried again at once."""
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
            setattr(download_workflow, name, soon)


async def start(temporal: Client, queues: Queues, goal: Goal, outside: Outside, *numbers: int) -> Handle:
    videos = parse_found({"videos": [outside.video(number) for number in numbers]}).videos
    return await temporal.start_workflow(
        DOWNLOAD_WORKFLOW,
        DownloadClips(goal, a_pace(queues), 1, videos),
        id=download_workflow_id(goal.slug, goal.event_id, 1),
        task_queue=queues.main,
        result_type=DownloadEnded,
        task_timeout=TASK_TIMEOUT,
    )


async def delivered(temporal: Client, goal: Goal) -> list[ClipBatch]:
    """What the archive was given, a batch for each attempt with what was sent ahead of it, and every clip once; the
    letterbox is closed after that.
    """
    handle = temporal.get_workflow_handle(upload_workflow_id(goal.event_id))
    batches = await handle.query(Letterbox.batches)
    await handle.terminate()
    last = {batch.download_id: batch for batch in batches if batch.last}
    return [replace(batch, clips=_once(batches, download_id)) for download_id, batch in last.items()]


def _once(batches: list[ClipBatch], download_id: str) -> tuple[ScreenedClip, ...]:
    clips = (clip for batch in batches if batch.download_id == download_id for clip in batch.clips)
    return tuple({(clip.md5, clip.source_url): clip for clip in clips}.values())
