"""Goals as the monitor stores them, and their events as stored later."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from found_footy.domain.collections import FixtureCollection
from found_footy.domain.ids import GoalSlug, event_id
from found_footy.domain.messages import Goal, PipelinePace, TaskQueues
from found_footy.fixtures.store import FixtureStore
from found_footy.platform.mongo import Database, Document

TEAM, PLAYER = 40, 234


def make_goal(seq: int = 1, fixture: int | None = None) -> Goal:
    """A goal of a fixture of its own: workflow ids are made of it, and all tests share one Temporal."""
    fixture = fixture or uuid4().int % 10**12
    return Goal(
        fixture_id=fixture,
        event_id=event_id(fixture, TEAM, PLAYER, "Goal", seq),
        slug=GoalSlug.from_goal("Liverpool", "Florian Wirtz", 23, None),
        team_id=TEAM,
        team_name="Liverpool",
        player_name="Florian Wirtz",
        elapsed=23,
        extra=None,
        first_seen=datetime.now(UTC),
        home_name="Liverpool",
        away_name="Arsenal",
        country="England",
        national=False,
    )


def make_pace(queues: TaskQueues, **changes: Any) -> PipelinePace:
    """The product's pace, with hardly any waiting."""
    quick = PipelinePace(
        attempts_wanted=3,
        attempts_limit=6,
        attempt_spacing=timedelta(milliseconds=100),
        attempt_min_wait=timedelta(milliseconds=20),
        upload_idle=timedelta(milliseconds=500),
        queues=queues,
    )
    return replace(quick, **changes)


def event_document(goal: Goal, **fields: Any) -> Document:
    return {
        "_event_id": goal.event_id,
        "_slug": str(goal.slug),
        "_first_seen": goal.first_seen,
        "player": {"id": PLAYER, "name": goal.player_name},
        "team": {"id": goal.team_id, "name": goal.team_name},
        "type": "Goal",
        "detail": "Normal Goal",
        "time": {"elapsed": goal.elapsed, "extra": goal.extra},
        "_monitor_workflows": ["monitor-1", "monitor-2", "monitor-3"],
        "_monitor_complete": False,
        "_discovered_videos": [],
        "_download_workflows": [],
        "_delivered_workflows": [],
        "_drop_workflows": [],
        "_download_complete": False,
        "_download_completed_at": None,
        "_completion_reason": None,
        "_removed": False,
        "_s3_videos": [],
        "_telemetry": {},
        **fields,
    }


async def store_goals(database: Database, *goals: Goal, **fields: Any) -> None:
    """The fixture of these goals, in play."""
    events = [event_document(goal, **fields) for goal in goals]
    await database[FixtureCollection.ACTIVE].insert_one(
        {"_id": goals[0].fixture_id, "events": events, "removed_events": []}
    )


async def event_of(
    database: Database, goal: Goal, collection: FixtureCollection = FixtureCollection.ACTIVE
) -> Document:
    row = await database[collection].find_one({"_id": goal.fixture_id})
    assert row is not None
    events: list[Document] = row["events"]
    return next(event for event in events if event["_event_id"] == goal.event_id)


async def remove_goal(database: Database, goal: Goal) -> None:
    """What the monitor does with a goal that VAR has removed."""
    event = await event_of(database, goal)
    await database[FixtureCollection.ACTIVE].update_one(
        {"_id": goal.fixture_id},
        {"$pull": {"events": {"_event_id": goal.event_id}}, "$push": {"removed_events": {**event, "_removed": True}}},
    )


async def complete_fixture(database: Database, goal: Goal) -> None:
    """What the monitor does with a fixture that is over, through the store: at no moment is the fixture in neither
    collection, and what a workflow writes meanwhile moves along.
    """
    fixtures = FixtureStore(database)
    over = {"$set": {"completed_at": goal.first_seen}}
    await database[FixtureCollection.ACTIVE].update_one({"_id": goal.fixture_id}, over)
    while await fixtures.archive_fixture(goal.fixture_id, datetime.now(UTC), keep_removed=True) is None:
        assert await database[FixtureCollection.ACTIVE].find_one({"_id": goal.fixture_id}), "no such fixture"
