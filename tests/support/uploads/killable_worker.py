"""Workers of organization uploads, with their consumer, as processes of their own, so that they can die at a failpoint.

What they need is imported once, here; each line of JSON on the input forks one worker. The input's end ends them all.
"""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

from found_footy.domain.messages import TaskQueues
from found_footy.platform import mongo
from found_footy.platform.objects import ObjectStore
from found_footy.platform.temporal.client import connect
from found_footy.platform.temporal.steps import get_step_options
from found_footy.uploads.intake.streams import IntakeStreams
from found_footy.uploads.steps import UploadSteps
from tests.support.forking import Order, fork_for_each_order
from tests.support.steps import set_options
from tests.support.uploads.agent_services import open_uploads, running_uploads_worker
from tests.support.uploads.intake import Intake, open_intake


async def work(order: Order) -> None:
    """Consume and classify until killed."""
    objects = ObjectStore(order["s3"], order["s3_access"], order["s3_secret"], order["bucket"])
    async with (
        mongo.connect(order["mongo"], order["database"]) as database,
        connect(order["temporal"], "default") as client,
        open_uploads(database, objects, client, TaskQueues(order["main"], order["media"])) as uploads,
        open_intake(order["nats"], database, IntakeStreams(order["stream"])) as intake,
        running_uploads_worker(uploads),
        consume_for(intake, uploads.agents),
    ):
        await asyncio.Event().wait()


def consume_for(intake: Intake, agents: Any) -> Any:
    """The consumer, with the agents of the product in place of recording ones."""
    return replace(intake, agents=agents).consume()


def shorten_timeouts() -> None:
    """What a killed worker had begun is begun again after seconds."""
    for step in (UploadSteps.load_image, UploadSteps.classify_image, UploadSteps.persist_result):
        options = get_step_options(step)
        set_options(step, replace(options, start_to_close_timeout=timedelta(seconds=5), heartbeat_timeout=None))


if __name__ == "__main__":
    fork_for_each_order(work, shorten_timeouts)
