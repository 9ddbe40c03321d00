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
from tests.support.pipeline.goals import a_goal, a_pace, event_of, store_goals
from tests.support.pipeline.services import House, at_work, until
from tests.support.xsearch.scripted_service import World, living
from tests.support.xsearch.stand_in_browser import Kit, ScriptedTab, StandInBrowser, page

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
async def searching_with(house: House, world: World) -> AsyncIterator[House]:
    async with living(world) as service:
        pool = XSearchPool(cast("SafeHttpClient", InProcess(service)), ["http://127.0.0.1:8888"], cooldown=timedelta(0))
        yield replace(house, discovery=DiscoveryActivities(DiscoveryStore(house.database), pool, DiscoverySettings()))


async def test_a_limited_account_spends_no_attempt_and_is_told(house: House, tmp_path: Path) -> None:
    goal, tab = a_goal(), LimitedTab()
    world = World(Kit(), tmp_path, [StandInBrowser(tab)], canary_every=timedelta(hours=1))
    await store_goals(house.database, goal)

    async def told() -> Document:
        return (await event_of(house.database, goal)).get("_search_state") or {}

    async def is_blocked() -> bool:
        return (await told()).get("state") == "blocked"

    async with searching_with(house, world) as searching, at_work(searching):
        handle = await house.temporal.start_workflow(
            TwitterWorkflow.run,
            SearchGoal(goal, a_pace(house.queues, attempt_spacing=timedelta(seconds=1))),
            id=twitter_workflow_id(goal.slug, goal.event_id),
            task_queue=house.queues.main,
        )
        await until(is_blocked)
        assert "X shows this account no posts" in (await told())["detail"]
        assert (await event_of(house.database, goal))["_download_workflows"] == []
        tab.limited = False
        world.clock.pass_by(minutes=11)
        ended = await handle.result()
    assert ended == SearchSummary(SearchState.FINISHED, attempts=3)
