"""DownloadWorkflow with a stand-in for the archive and short timeouts."""

from dataclasses import replace
from datetime import timedelta

from temporalio import workflow
from temporalio.client import Client, WorkflowHandle

from found_footy.clips import download_workflow
from found_footy.clips.messages import DownloadResult
from found_footy.clips.steps import ClipSteps
from found_footy.discovery.sources.x_service import parse_search_response
from found_footy.domain.ids import download_workflow_id, upload_workflow_id
from found_footy.domain.messages import (
    DOWNLOAD_WORKFLOW,
    ClipBatch,
    DownloadClips,
    Goal,
    ScreenedClip,
    StartUpload,
    TaskQueues,
)
from found_footy.platform.temporal.steps import StepOptions, get_step_options
from tests.support.pipeline.goals import make_pace
from tests.support.pipeline.outside import OutsideServices
from tests.support.steps import declared_steps, set_options

Handle = WorkflowHandle[object, DownloadResult]
# Who is killed between two steps is missed after this.
TASK_TIMEOUT = timedelta(seconds=3)


@workflow.defn(name="UploadWorkflow", sandboxed=False)
class ArchiveStandIn:
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


def shorten_timeouts(quick: timedelta, heavy: timedelta) -> None:
    """For the rest of this process: a worker that was killed is given up soon, and every step tried again at once."""

    def soon(options: StepOptions) -> StepOptions:
        return replace(
            options,
            start_to_close_timeout=quick if options.local else heavy,
            heartbeat_timeout=None,
            maximum_attempts=50,
            initial_interval=timedelta(milliseconds=50),
            maximum_interval=timedelta(milliseconds=500),
        )

    for declared in declared_steps(ClipSteps):
        set_options(declared, soon(get_step_options(declared)))
    other_options = "BRIEF_CHECK_OPTIONS"
    setattr(download_workflow, other_options, soon(getattr(download_workflow, other_options)))


async def start(temporal: Client, queues: TaskQueues, goal: Goal, outside: OutsideServices, *numbers: int) -> Handle:
    videos = parse_search_response({"videos": [outside.video(number) for number in numbers]}).videos
    return await temporal.start_workflow(
        DOWNLOAD_WORKFLOW,
        DownloadClips(goal, make_pace(queues), 1, videos),
        id=download_workflow_id(goal.slug, goal.event_id, 1),
        task_queue=queues.main,
        result_type=DownloadResult,
        task_timeout=TASK_TIMEOUT,
    )


async def delivered(temporal: Client, goal: Goal) -> list[ClipBatch]:
    """What the archive was given, a batch for each attempt with what was sent ahead of it, and every clip once; the
    stand-in is terminated after that.
    """
    handle = temporal.get_workflow_handle(upload_workflow_id(goal.event_id))
    batches = await handle.query(ArchiveStandIn.batches)
    await handle.terminate()
    last = {batch.download_id: batch for batch in batches if batch.last}
    return [replace(batch, clips=_once(batches, download_id)) for download_id, batch in last.items()]


def _once(batches: list[ClipBatch], download_id: str) -> tuple[ScreenedClip, ...]:
    clips = (clip for batch in batches if batch.download_id == download_id for clip in batch.clips)
    return tuple({(clip.md5, clip.source_url): clip for clip in clips}.values())
