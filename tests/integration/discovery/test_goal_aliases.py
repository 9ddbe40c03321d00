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
from tests.support.pipeline.goals import event_of, make_goal, make_pace, store_goals
from tests.support.pipeline.outside import OutsideServices
from tests.support.pipeline.services import PipelineServices, running_worker
from tests.support.steps import activities_of


class Directory:
    """A source that keeps what it is asked."""

    source = AliasSource.WIKIDATA

    def __init__(self) -> None:
        self.asked: list[ResolveAliases] = []

    async def find_aliases(self, team: ResolveAliases) -> tuple[str, ...]:
        self.asked.append(team)
        return ("Three Lions",) if team.national else ("Revs",)


async def searched(pipeline: PipelineServices, directory: Directory, goal: Goal) -> list[str]:
    """The aliases that the goal is searched by."""
    stage = DiscoveryActivities(
        pipeline.discovery._store, pipeline.discovery._main_source, DiscoverySettings(), [directory]
    )
    mine = activities_of(stage)
    names = {one.__name__ for one in mine}
    served = [*mine, *(one for one in pipeline.activities() if one.__name__ not in names)]
    await store_goals(pipeline.database, goal)
    async with running_worker(pipeline, served):
        await pipeline.temporal.execute_workflow(
            TwitterWorkflow.run,
            SearchGoal(goal, make_pace(pipeline.queues)),
            id=twitter_workflow_id(goal.slug, goal.event_id),
            task_queue=pipeline.queues.main,
        )
        aliases: list[str] = (await event_of(pipeline.database, goal))["_twitter_aliases"]
        return aliases


@pytest.mark.parametrize(("country", "national"), [(None, True), ("England", False)])
async def test_the_team_is_looked_up_as_the_goal_names_it_and_stored(
    pipeline: PipelineServices, outside: OutsideServices, country: str | None, national: bool
) -> None:
    directory, goal = Directory(), replace(make_goal(), team_name="England", country=country, national=national)
    aliases = await searched(pipeline, directory, goal)
    assert directory.asked == [ResolveAliases(goal.team_id, "England", country, national)]
    assert ("Three Lions" in aliases) is national
    row = await pipeline.database[TEAM_ALIASES].find_one({"_id": goal.team_id})
    assert row is not None
    assert (row["country"], row["national"]) == (country, national)


@pytest.mark.parametrize(("team", "national"), [("England", True), ("Everton", False)])
async def test_an_unknown_kind_of_team_is_guessed_by_the_name_and_not_stored(
    pipeline: PipelineServices, outside: OutsideServices, team: str, national: bool
) -> None:
    directory, goal = Directory(), replace(make_goal(), team_name=team, country=None, national=None)
    await searched(pipeline, directory, goal)
    assert [asked.national for asked in directory.asked] == [national]
    assert await pipeline.database[TEAM_ALIASES].count_documents({}) == 0


async def test_aliases_that_expire_before_the_next_ingest_are_looked_up_before_a_goal(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    directory, goal = Directory(), make_goal()
    stage = DiscoveryActivities(
        pipeline.discovery._store, pipeline.discovery._main_source, DiscoverySettings(), [directory]
    )
    team = ResolveAliases(goal.team_id, goal.team_name, "England")
    asked = []
    async with running_worker(pipeline, activities_of(stage)):
        for hours in (24, 22):
            for run in range(2):
                await pipeline.temporal.execute_workflow(
                    RAGWorkflow.run,
                    team,
                    id=f"rag-{hours}-{run}-{pipeline.queues.main}",
                    task_queue=pipeline.queues.main,
                )
            asked.append(len(directory.asked))
            row = await pipeline.database[TEAM_ALIASES].find_one({"_id": team.team_id})
            assert row is not None
            expires = {"$set": {"expires_at": row["cached_at"] + timedelta(hours=22)}}
            await pipeline.database[TEAM_ALIASES].update_one({"_id": team.team_id}, expires)
    assert asked == [1, 2]
    assert await searched(pipeline, directory, goal)
    assert len(directory.asked) == 2
