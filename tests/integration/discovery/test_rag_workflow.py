"""What a team is called is known before a goal needs it, and never nothing."""

from datetime import timedelta
from typing import Any

from temporalio import activity

from found_footy.discovery.activities import DiscoveryActivities
from found_footy.discovery.messages import AliasSource, SaveAliases, TeamAliases, TeamRef
from found_footy.discovery.rag_workflow import RAGWorkflow
from found_footy.discovery.settings import DiscoverySettings
from found_footy.domain.collections import TEAM_ALIASES
from found_footy.domain.messages import ResolveAliases
from found_footy.platform.errors import Denied
from tests.support.histories import record
from tests.support.pipeline.services import PipelineServices, running_worker
from tests.support.steps import activities_of

CITY = ResolveAliases(50, "Chalk City FC")


class KnownTeams:
    """A source that knows some teams."""

    source = AliasSource.WIKIDATA

    def __init__(self, *aliases: str) -> None:
        self._aliases = aliases
        self.asked = 0

    async def find_aliases(self, team: ResolveAliases) -> tuple[str, ...]:
        self.asked += 1
        return self._aliases


def with_sources(pipeline: PipelineServices, *sources: KnownTeams) -> DiscoveryActivities:
    return DiscoveryActivities(pipeline.discovery._store, pipeline.discovery._main_source, DiscoverySettings(), sources)


async def resolved(
    pipeline: PipelineServices, discovery: DiscoveryActivities, team: ResolveAliases, run: str
) -> TeamAliases:
    """The result of a run, whose history is kept under a name that is not a number."""
    async with running_worker(pipeline, activities_of(discovery)):
        handle = await pipeline.temporal.start_workflow(
            RAGWorkflow.run, team, id=f"rag-{run}-{pipeline.queues.main}", task_queue=pipeline.queues.main
        )
        found = await handle.result()
        if not run.isdigit():
            await record(handle, run)
        return found


async def row(pipeline: PipelineServices, team_id: int) -> dict[str, Any]:
    found = await pipeline.database[TEAM_ALIASES].find_one({"_id": team_id})
    assert found is not None
    return found


async def test_a_source_is_called_once_and_its_answer_stored(pipeline: PipelineServices) -> None:
    books = KnownTeams("Chalk City", "MCFC", "Chalkers")
    discovery = with_sources(pipeline, books)
    first = await resolved(pipeline, discovery, CITY, "rag")
    second = await resolved(pipeline, discovery, CITY, "rag-cached")
    assert first == second == TeamAliases(("Chalk City FC", "Chalk City", "MCFC", "Chalkers"), AliasSource.WIKIDATA)
    assert books.asked == 1
    kept = await row(pipeline, CITY.team_id)
    assert kept["expires_at"] - kept["cached_at"] == timedelta(days=30)


async def test_a_team_that_no_source_knows_is_named_by_rules_for_a_day(pipeline: PipelineServices) -> None:
    found = await resolved(pipeline, with_sources(pipeline, KnownTeams()), CITY, "1")
    assert found == TeamAliases(("Chalk City FC", "Chalk City"), AliasSource.RULES)
    kept = await row(pipeline, CITY.team_id)
    assert kept["expires_at"] - kept["cached_at"] == timedelta(days=1)


async def test_expired_aliases_are_looked_up_again(pipeline: PipelineServices) -> None:
    await resolved(pipeline, with_sources(pipeline), CITY, "1")
    kept = await row(pipeline, CITY.team_id)
    expired = {"$set": {"expires_at": kept["cached_at"] - timedelta(seconds=1)}}
    await pipeline.database[TEAM_ALIASES].update_one({"_id": CITY.team_id}, expired)
    assert (await resolved(pipeline, with_sources(pipeline, KnownTeams("Chalkers")), CITY, "2")).aliases[1:] == (
        "Chalkers",
    )


async def test_an_empty_list_is_never_stored(pipeline: PipelineServices) -> None:
    assert not await pipeline.discovery.save_team_aliases(SaveAliases(CITY, TeamAliases()))
    assert await pipeline.database[TEAM_ALIASES].count_documents({}) == 0


async def test_a_stored_empty_list_is_not_used(pipeline: PipelineServices) -> None:
    await resolved(pipeline, with_sources(pipeline), CITY, "1")
    await pipeline.database[TEAM_ALIASES].update_one({"_id": CITY.team_id}, {"$set": {"aliases": []}})
    assert (await resolved(pipeline, with_sources(pipeline), CITY, "2")).aliases


class NoStore:
    @activity.defn(name="get_cached_team_aliases")
    async def get_cached_team_aliases(self, team: TeamRef) -> TeamAliases:
        raise Denied("MongoDB", "no")


async def test_without_a_database_the_rules_still_give_names(pipeline: PipelineServices) -> None:
    async with running_worker(pipeline, activities_of(NoStore())):
        found = await pipeline.temporal.execute_workflow(
            RAGWorkflow.run, CITY, id=f"rag-{pipeline.queues.main}", task_queue=pipeline.queues.main
        )
    assert found.source is AliasSource.RULES
    assert "Chalk City" in found.aliases
