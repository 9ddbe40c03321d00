"""A goal whose team is not cached has it looked up as what it is: with its country, or as a national team."""

from dataclasses import replace
from datetime import timedelta

import pytest

from found_footy.discovery.activities import DiscoveryActivities
from found_footy.discovery.messages import AliasSource
from found_footy.discovery.rag_workflow import RAGWorkflow
from found_footy.discovery.settings import DiscoverySettings
from found_footy.discovery.twitter_workflow import TwitterWorkflow
from found_footy.domain.collections import TEAM_ALIASES
from found_footy.domain.ids import twitter_workflow_id
from found_footy.domain.messages import Goal, ResolveAliases, SearchGoal
from tests.support.pipeline.goals import a_goal, a_pace, event_of, store_goals
from tests.support.pipeline.outside import Outside
from tests.support.pipeline.services import House, activities_of, at_work


class Directory:
    """A source that keeps what it is asked."""

    source = AliasSource.WIKIDATA

    def __init__(self) -> None:
        self.asked: list[ResolveAliases] = []

    async def find_aliases(self, team: ResolveAliases) -> tuple[str, ...]:
        self.asked.append(team)
        return ("Three Lions",) if team.national else ("Revs",)


async def searched(house: House, directory: Directory, goal: Goal) -> list[str]:
    """The aliases that the goal is searched by."""
    stage = DiscoveryActivities(house.discovery._store, house.discovery._main_source, DiscoverySettings(), [directory])
    served = [*activities_of(stage), *activities_of(house.clips), *activities_of(house.archive)]
    await store_goals(house.database, goal)
    async with at_work(house, served):
        await house.temporal.execute_workflow(
            TwitterWorkflow.run,
            SearchGoal(goal, a_pace(house.queues)),
            id=twitter_workflow_id(goal.slug, goal.event_id),
            task_queue=house.queues.main,
        )
        aliases: list[str] = (await event_of(house.database, goal))["_twitter_aliases"]
        return aliases


@pytest.mark.parametrize(("country", "national"), [(None, True), ("England", False)])
async def test_it_is_asked_for_as_what_the_goal_says_and_kept(
    house: House, outside: Outside, country: str | None, national: bool
) -> None:
    directory, goal = Directory(), replace(a_goal(), team_name="England", country=country, national=national)
    aliases = await searched(house, directory, goal)
    assert directory.asked == [ResolveAliases(goal.team_id, "England", country, national)]
    assert ("Three Lions" in aliases) is national
    row = await house.database[TEAM_ALIASES].find_one({"_id": goal.team_id})
    assert row is not None
    assert (row["country"], row["national"]) == (country, national)


@pytest.mark.parametrize(("team", "national"), [("England", True), ("Everton", False)])
async def test_what_nobody_has_said_is_guessed_by_the_name_and_not_kept(
    house: House, outside: Outside, team: str, national: bool
) -> None:
    directory, goal = Directory(), replace(a_goal(), team_name=team, country=None, national=None)
    await searched(house, directory, goal)
    assert [asked.national for asked in directory.asked] == [national]
    assert await house.database[TEAM_ALIASES].count_documents({}) == 0


async def test_what_expires_before_the_next_ingest_is_looked_up_ahead_of_a_goal(house: House, outside: Outside) -> None:
    directory, goal = Directory(), a_goal()
    stage = DiscoveryActivities(house.discovery._store, house.discovery._main_source, DiscoverySettings(), [directory])
    team = ResolveAliases(goal.team_id, goal.team_name, "England")
    asked = []
    async with at_work(house, activities_of(stage)):
        for hours in (24, 22):
            for run in range(2):
                await house.temporal.execute_workflow(
                    RAGWorkflow.run, team, id=f"rag-{hours}-{run}-{house.queues.main}", task_queue=house.queues.main
                )
            asked.append(len(directory.asked))
            row = await house.database[TEAM_ALIASES].find_one({"_id": team.team_id})
            assert row is not None
            expires = {"$set": {"expires_at": row["cached_at"] + timedelta(hours=22)}}
            await house.database[TEAM_ALIASES].update_one({"_id": team.team_id}, expires)
    assert asked == [1, 2]
    assert await searched(house, directory, goal)
    assert len(directory.asked) == 2
