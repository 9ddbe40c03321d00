"""The upload queue of a goal: goals that wait for deliveries, deliveries, and the workflow that stores them."""

from temporalio.client import WorkflowHandle

from found_footy.archive.messages import UploadResult
from found_footy.archive.upload_workflow import UploadWorkflow
from found_footy.clips.messages import QueueClips
from found_footy.domain.ids import upload_workflow_id
from found_footy.domain.messages import ClipBatch, Goal
from found_footy.platform.mongo import Document
from tests.support.pipeline.batches import make_batch
from tests.support.pipeline.goals import event_of, make_goal, make_pace, store_goals
from tests.support.pipeline.services import PipelineServices

Handle = WorkflowHandle[UploadWorkflow, UploadResult]


async def register_goal(pipeline: PipelineServices, attempts: int = 3) -> Goal:
    """A goal whose first attempts have registered, and wait for their delivery."""
    goal = make_goal()
    pace = make_pace(pipeline.queues)
    ids = [make_batch(goal, pace, number).download_id for number in range(1, attempts + 1)]
    await store_goals(pipeline.database, goal, _download_workflows=ids)
    return goal


async def deliver(pipeline: PipelineServices, *batches: ClipBatch) -> None:
    for batch in batches:
        await pipeline.clips.queue_videos_for_upload(QueueClips(batch))


def archive_of(pipeline: PipelineServices, goal: Goal) -> Handle:
    return pipeline.temporal.get_workflow_handle_for(UploadWorkflow.run, upload_workflow_id(goal.event_id))


async def archived(pipeline: PipelineServices, *batches: ClipBatch) -> Document:
    """The goal after these batches, one after another."""
    await deliver(pipeline, *batches)
    await archive_of(pipeline, batches[0].goal).result()
    return await event_of(pipeline.database, batches[0].goal)


def outcomes(event: Document) -> dict[str, str]:
    """What became of each found video, by the last part of its link."""
    attempts = event["_telemetry"]["attempts"].values()
    return {c["url"].rpartition("/")[2]: c["outcome"] for attempt in attempts for c in attempt["clips"].values()}


async def has_failed(handle: Handle, name: str) -> bool:
    """Whether an attempt of this activity has failed, and another will come."""
    description = await handle.describe()
    pending = description.raw_description.pending_activities
    return any(one.activity_type.name == name and one.attempt > 1 for one in pending)
