"""A worker of stage four in a process of its own, so that it can be killed. Configured by JSON as first argument."""

import asyncio
import json
import sys
from contextlib import AsyncExitStack

from temporalio.worker import Worker

from found_footy.archive.activities import ArchiveActivities
from found_footy.archive.store import ArchiveStore
from found_footy.archive.upload_workflow import UploadWorkflow
from found_footy.platform import mongo
from found_footy.platform.objects import ObjectStore
from found_footy.platform.temporal.client import TypedErrorInterceptor, connect
from tests.support.steps import activities_of


async def work(order: dict[str, str]) -> None:
    objects = ObjectStore(order["s3"], order["s3_access"], order["s3_secret"], order["bucket"])
    async with (
        mongo.connect(order["mongo"], order["database"]) as database,
        connect(order["temporal"], "default") as client,
        AsyncExitStack() as stack,
    ):
        activities = activities_of(ArchiveActivities(ArchiveStore(database, objects.bucket), objects))
        for queue, workflows in ((order["main"], [UploadWorkflow]), (order["media"], [])):
            worker = Worker(
                client,
                task_queue=queue,
                workflows=workflows,
                activities=activities,
                interceptors=[TypedErrorInterceptor()],
            )
            await stack.enter_async_context(worker)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(work(json.loads(sys.argv[1])))
