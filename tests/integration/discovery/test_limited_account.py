"""A goal whose only X account is limited without a word: no attempt is spent, people are told, and it goes on later."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import httpx

from found_footy.discovery.activities import DiscoveryActivities
from found_footy.discovery.messages import SearchState, SearchSummary
from found_footy.discovery.settings import DiscoverySettings
from found_footy.discovery.sources.x_service import XSearchPool
from found_footy.discovery.store import DiscoveryStore
from found_footy.discovery.twitter_workflow import TwitterWorkflow
from found_footy.domain.ids import twitter_workflow_id
from found_footy.domain.messages import SearchGoal
from found_footy.platform.http.client import HttpResponse, SafeHttpClient
from found_footy.platform.mongo import Document
from found_footy.xsearch.app import create_app
from found_footy.xsearch.service import XSearchService
from tests.support.pipeline.goals import event_of, make_goal, make_pace, store_goals
from tests.support.pipeline.services import PipelineServices, running_worker, until
from tests.support.xsearch.scripted_service import ScriptedService, run_service
from tests.support.xsearch.stand_in_browser import ScriptedTab, StandInBrowser, StandIns, page

RECENT = timedelta(minutes=1)


@dataclass
class LimitedTab(ScriptedTab):
    """Shows the posts there are, or nothing while the account is limited."""

    limited: bool = True

    async def open(self, url: str) -> None:
        self.script = [[page([] if self.limited else [RECENT], cursor=None)]]
        await super().open(url)


class InProcess:
    """The service's own HTTP application, asked without a socket in between."""

    def __init__(self, service: XSearchService) -> None:
        transport = httpx.ASGITransport(create_app(service))
        self._client = httpx.AsyncClient(transport=transport)

    async def request(self, method: str, url: str, json: Any = None) -> HttpResponse:
        answer = await self._client.request(method, url, json=json)
        return HttpResponse(answer.status_code, dict(answer.headers), answer.content)


@asynccontextmanager
async def searching_with(
    pipeline: PipelineServices, scripted_service: ScriptedService
) -> AsyncIterator[PipelineServices]:
    async with run_service(scripted_service) as service:
        pool = XSearchPool(cast("SafeHttpClient", InProcess(service)), ["http://127.0.0.1:8888"], cooldown=timedelta(0))
        yield replace(
            pipeline, discovery=DiscoveryActivities(DiscoveryStore(pipeline.database), pool, DiscoverySettings())
        )


async def test_a_limited_account_uses_no_attempt_and_is_reported(pipeline: PipelineServices, tmp_path: Path) -> None:
    goal, tab = make_goal(), LimitedTab()
    scripted_service = ScriptedService(StandIns(), tmp_path, [StandInBrowser(tab)], canary_every=timedelta(hours=1))
    await store_goals(pipeline.database, goal)

    async def reported() -> Document:
        return (await event_of(pipeline.database, goal)).get("_search_state") or {}

    async def is_blocked() -> bool:
        return (await reported()).get("state") == "blocked"

    async with searching_with(pipeline, scripted_service) as searching, running_worker(searching):
        handle = await pipeline.temporal.start_workflow(
            TwitterWorkflow.run,
            SearchGoal(goal, make_pace(pipeline.queues, attempt_spacing=timedelta(seconds=1))),
            id=twitter_workflow_id(goal.slug, goal.event_id),
            task_queue=pipeline.queues.main,
        )
        await until(is_blocked)
        assert "X shows this account no posts" in (await reported())["detail"]
        assert (await event_of(pipeline.database, goal))["_download_workflows"] == []
        tab.limited = False
        scripted_service.clock.advance(minutes=11)
        ended = await handle.result()
    assert ended == SearchSummary(SearchState.FINISHED, attempts=3)
