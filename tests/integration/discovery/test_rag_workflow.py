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
from tests.support.pipeline.services import House, activities_of, at_work

CITY = ResolveAliases(50, "Chalk City FC")


class Books:
    """A source that knows some teams."""

    source = AliasSource.WIKIDATA

    def __init__(self, *aliases: str) -> None:
        self._aliases = aliases
        self.asked = 0

    async def find_aliases(self, team: ResolveAliases) -> tuple[str, ...]:
        self.asked += 1
        return self._aliases


def with_sources(house: House, *sources: Books) -> DiscoveryActivities:
    return DiscoveryActivities(house.discovery._store, house.discovery._main_source, DiscoverySettings(), sources)


async def resolved(house: House, discovery: DiscoveryActivities, team: ResolveAliases, run: str) -> TeamAliases:
    """The result of a run, whose history is kept under a name that is not a number."""
    async with at_work(house, activities_of(discovery)):
        handle = await house.temporal.start_workflow(
            RAGWorkflow.run, team, id=f"rag-{run}-{house.queues.main}", task_queue=house.queues.main
        )
        found = await handle.result()
        if not run.isdigit():
            await record(handle, run)
        return found


async def row(house: House, team_id: int) -> dict[str, Any]:
    found = await house.database[TEAM_ALIASES].find_one({"_id": team_id})
    assert found is not None
    return found


async def test_a_source_is_asked_once_and_then_remembered(house: House) -> None:
    books = Books("Chalk City", "MCFC", "Chalkers")
    discovery = with_sources(house, books)
    first = await resolved(house, discovery, CITY, "rag")
    second = await resolved(house, discovery, CITY, "rag-cached")
    assert first == second == TeamAliases(("Chalk City FC", "Chalk City", "MCFC", "Chalkers"), AliasSource.WIKIDATA)
    assert books.asked == 1
    kept = await row(house, CITY.team_id)
    assert kept["expires_at"] - kept["cached_at"] == timedelta(days=30)


async def test_a_team_that_no_source_knows_is_named_by_rules_for_a_day(house: House) -> None:
    found = await resolved(house, with_sources(house, Books()), CITY, "1")
    assert found == TeamAliases(("Chalk City FC", "Chalk City"), AliasSource.RULES)
    kept = await row(house, CITY.team_id)
    assert kept["expires_at"] - kept["cached_at"] == timedelta(days=1)


async def test_what_has_expired_is_asked_for_again(house: House) -> None:
    await resolved(house, with_sources(house), CITY, "1")
    kept = await row(house, CITY.team_id)
    expired = {"$set": {"expires_at": kept["cached_at"] - timedelta(seconds=1)}}
    await house.database[TEAM_ALIASES].update_one({"_id": CITY.team_id}, expired)
    assert (await resolved(house, with_sources(house, Books("Chalkers")), CITY, "2")).aliases[1:] == ("Chalkers",)


async def test_an_empty_list_is_never_remembered(house: House) -> None:
    assert not await house.discovery.save_team_aliases(SaveAliases(CITY, TeamAliases()))
    assert await house.database[TEAM_ALIASES].count_documents({}) == 0


async def test_an_empty_list_that_somebody_else_wrote_is_not_believed(house: House) -> None:
    await resolved(house, with_sources(house), CITY, "1")
    await house.database[TEAM_ALIASES].update_one({"_id": CITY.team_id}, {"$set": {"aliases": []}})
    assert (await resolved(house, with_sources(house), CITY, "2")).aliases


class NoStore:
    @activity.defn(name="get_cached_team_aliases")
    async def get_cached_team_aliases(self, team: TeamRef) -> TeamAliases:
        raise Denied("MongoDB", "no")


async def test_without_a_store_the_rules_still_answer(house: House) -> None:
    async with at_work(house, activities_of(NoStore())):
        found = await house.temporal.execute_workflow(
            RAGWorkflow.run, CITY, id=f"rag-{house.queues.main}", task_queue=house.queues.main
        )
    assert found.source is AliasSource.RULES
    assert "Chalk City" in found.aliases
