"""Workers of stage three as processes of their own, so that they can be killed and counted.

What they need is imported once, here; each line of JSON on the input forks one worker. The input's end ends them all.
"""

import asyncio
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path

from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from found_footy.clips.activities import ClipActivities
from found_footy.clips.check.checker import VisionClipChecker
from found_footy.clips.check.evidence import EvidenceStore
from found_footy.clips.check.lease import VisionLease
from found_footy.clips.download_workflow import DownloadWorkflow
from found_footy.clips.fetch.cache import ClipCache
from found_footy.clips.fetch.fetcher import ClipFetcher, FetchLimits
from found_footy.clips.fingerprints.maker import FingerprintMaker
from found_footy.clips.settings import ClipSettings
from found_footy.clips.store import ClipStore
from found_footy.discovery.activities import DiscoveryActivities
from found_footy.discovery.settings import DiscoverySettings
from found_footy.discovery.sources.x_service import XSearchPool
from found_footy.discovery.store import DiscoveryStore
from found_footy.platform import mongo
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.objects import ObjectStore
from found_footy.platform.temporal.client import TypedErrorInterceptor, connect
from found_footy.vision.reader_factory import build_llm_reader
from found_footy.vision.settings import VisionSettings
from tests.support.clips.download_runs import TASK_TIMEOUT, ArchiveStandIn, shorten_timeouts
from tests.support.forking import Order, fork_for_each_order
from tests.support.patience import PATIENCE
from tests.support.steps import activities_of


async def work(order: Order) -> None:
    """Serve the queues that the order names until killed, and run the workflows of the one that it names for that."""
    objects = ObjectStore(order["s3"], order["s3_access"], order["s3_secret"], order["bucket"])
    http = SafeHttpClient(system="video host", allowed_hosts=[order["host"]], trusted_private=[order["host"]])
    cache = ClipCache(Path(order["folder"]), 50_000_000)
    limits = FetchLimits(max_bytes=5_000_000, deadline=PATIENCE)
    fetcher = ClipFetcher(http, objects, cache, ClipSettings().rules, limits)
    async with (
        mongo.connect(order["mongo"], order["database"]) as database,
        connect(order["temporal"], "default") as client,
        AsyncExitStack() as stack,
    ):
        settings = VisionSettings(reader="llm", llm_url=order["vision"])
        reader = build_llm_reader(settings, VisionLease(database, settings.llm_at_once).acquire)
        look = VisionClipChecker(reader, EvidenceStore(objects), cache.workspace, settings.proof_rules)
        clips = ClipActivities(ClipStore(database), fetcher, look, client, FingerprintMaker(objects))
        discovery = DiscoveryActivities(
            DiscoveryStore(database), XSearchPool(http, [], cooldown=timedelta(seconds=1)), DiscoverySettings()
        )
        served = [*activities_of(clips), *activities_of(discovery)]
        for queue in order["queues"]:
            # Many of them at once keep a busy machine's processor waiting, which is no deadlock; without a sandbox
            # they take the steps as `hurry` has made them.
            worker = Worker(
                client,
                task_queue=queue,
                activities=served,
                interceptors=[TypedErrorInterceptor()],
                workflows=[DownloadWorkflow, ArchiveStandIn] if queue == order.get("orders") else [],
                workflow_runner=UnsandboxedWorkflowRunner(),
                debug_mode=True,
                sticky_queue_schedule_to_start_timeout=TASK_TIMEOUT,
                max_concurrent_activities=order["at_once"],
            )
            await stack.enter_async_context(worker)
        await asyncio.Event().wait()


def shorten() -> None:
    shorten_timeouts(quick=timedelta(seconds=3), heavy=timedelta(seconds=9))


if __name__ == "__main__":
    fork_for_each_order(work, shorten)
