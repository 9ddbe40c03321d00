"""Aliases come from Wikidata, from the table when it is out of reach, and are kept as long as they deserve."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from found_footy.discovery.activities import DiscoveryActivities
from found_footy.discovery.aliases.table import TableAliasProvider
from found_footy.discovery.aliases.wikidata_client import WikidataClient, build_user_agent
from found_footy.discovery.aliases.wikidata_provider import WikidataAliasProvider
from found_footy.discovery.messages import AliasSource, TeamAliases
from found_footy.discovery.rag_workflow import RAGWorkflow
from found_footy.discovery.settings import DiscoverySettings
from found_footy.domain.collections import TEAM_ALIASES
from found_footy.domain.messages import ResolveAliases
from found_footy.platform.http.client import SafeHttpClient
from found_footy_sim.wikidata import WikidataFault, WikidataSite
from tests.support.discovery.wikidata_items import EVERYTHING
from tests.support.loopback_services import host_of, served
from tests.support.patience import PATIENCE
from tests.support.pipeline.services import PipelineServices, running_worker
from tests.support.steps import activities_of

LIVERPOOL = ResolveAliases(40, "Liverpool", "England")


@pytest.fixture
def site() -> WikidataSite:
    return WikidataSite(EVERYTHING)


@pytest.fixture
async def stage(pipeline: PipelineServices, site: WikidataSite) -> AsyncIterator[DiscoveryActivities]:
    with served(site.app) as base:
        hosts, agent = [host_of(base)], build_user_agent("someone@example.org")
        http = SafeHttpClient(
            system="Wikidata",
            allowed_hosts=hosts,
            trusted_private=hosts,
            headers={"user-agent": agent},
            timeout=PATIENCE,
        )
        wikidata = WikidataClient(http, f"{base}/w/api.php", f"{base}/sparql")
        yield DiscoveryActivities(
            pipeline.discovery._store,
            pipeline.discovery._main_source,
            DiscoverySettings(),
            [WikidataAliasProvider(wikidata), TableAliasProvider()],
        )
        await http.aclose()


async def resolved(
    pipeline: PipelineServices, stage: DiscoveryActivities, team: ResolveAliases = LIVERPOOL
) -> TeamAliases:
    async with running_worker(pipeline, activities_of(stage)):
        return await pipeline.temporal.execute_workflow(
            RAGWorkflow.run, team, id=f"rag-{pipeline.queues.main}", task_queue=pipeline.queues.main
        )


async def kept_for(pipeline: PipelineServices) -> timedelta:
    row = await pipeline.database[TEAM_ALIASES].find_one({"_id": LIVERPOOL.team_id})
    assert row is not None
    kept: timedelta = row["expires_at"] - row["cached_at"]
    return kept


async def test_what_wikidata_says_is_kept_for_a_month(
    pipeline: PipelineServices, stage: DiscoveryActivities, site: WikidataSite
) -> None:
    assert await resolved(pipeline, stage) == TeamAliases(("Liverpool", "LFC", "Reds"), AliasSource.WIKIDATA)
    assert await kept_for(pipeline) == timedelta(days=30)
    asked = len(site.requests)
    assert (await resolved(pipeline, stage)).source is AliasSource.WIKIDATA
    assert len(site.requests) == asked


async def test_names_of_the_table_come_before_those_of_wikidata(
    pipeline: PipelineServices, stage: DiscoveryActivities
) -> None:
    found = await resolved(pipeline, stage, ResolveAliases(529, "Barcelona", "Spain"))
    assert found.source is AliasSource.WIKIDATA
    assert found.aliases[:4] == ("Barcelona", "FCB", "Barca", "Blaugrana")


@pytest.mark.parametrize("breaks", [WikidataFault.FORBIDDEN, WikidataFault.HUGE])
async def test_without_wikidata_the_table_answers_for_a_day(
    pipeline: PipelineServices, stage: DiscoveryActivities, site: WikidataSite, breaks: WikidataFault
) -> None:
    site.inject_fault(breaks)
    found = await resolved(pipeline, stage)
    assert found == TeamAliases(("Liverpool", "LFC", "Reds"), AliasSource.TABLE)
    assert await kept_for(pipeline) == timedelta(days=1)


async def test_a_temporary_failure_of_wikidata_is_retried(
    pipeline: PipelineServices, stage: DiscoveryActivities, site: WikidataSite
) -> None:
    site.inject_fault(WikidataFault.RATE_LIMITED, times=1, retry_after=1)
    assert (await resolved(pipeline, stage)).source is AliasSource.WIKIDATA


async def test_an_unknown_team_is_named_by_rules(pipeline: PipelineServices, stage: DiscoveryActivities) -> None:
    found = await resolved(pipeline, stage, ResolveAliases(40, "Chalk Rovers FC", "England"))
    assert found.source is AliasSource.RULES
    assert "Chalk Rovers" in found.aliases
    assert await kept_for(pipeline) == timedelta(days=1)
