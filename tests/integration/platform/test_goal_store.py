"""A goal is read and changed where its fixture is, and no change is lost while the fixture moves."""

from typing import Any

import pytest

from found_footy.domain.collections import FixtureCollection
from found_footy.platform.mongo import Database, Document
from found_footy.platform.paired_collections import PairedCollections

GOAL = {"_id": 7, "events._event_id": "7_1"}
CHANGE = {"$set": {"events.$.seen": True}}
FIXTURE: Document = {"_id": 7, "events": [{"_event_id": "7_1"}]}


async def put(database: Database, *collections: FixtureCollection) -> None:
    for collection in collections:
        await database[collection].insert_one({**FIXTURE, "in": collection})


async def changed(database: Database) -> set[str]:
    """The collections whose copy has the change."""
    found = set()
    for collection in (FixtureCollection.ACTIVE, FixtureCollection.COMPLETED):
        row = await database[collection].find_one({"events.seen": True})
        found |= {str(collection)} if row else set()
    return found


@pytest.mark.parametrize(
    ("collections", "where"),
    [
        ((FixtureCollection.ACTIVE,), {FixtureCollection.ACTIVE}),
        ((FixtureCollection.COMPLETED,), {FixtureCollection.COMPLETED}),
        # Being carried over: the copy that is watched is carried over once more.
        ((FixtureCollection.ACTIVE, FixtureCollection.COMPLETED), {FixtureCollection.ACTIVE}),
        ((), set()),
    ],
)
async def test_a_change_goes_to_the_copy_that_will_stay(
    database: Database, collections: tuple[FixtureCollection, ...], where: set[FixtureCollection]
) -> None:
    await put(database, *collections)
    goals = PairedCollections(database)
    found = await goals.find_one(GOAL, {"in": 1})
    assert (found or {}).get("in") == next(iter(collections), None)
    assert await goals.update_one(GOAL, CHANGE) is bool(collections)
    assert await changed(database) == where


class MovingBackFixtures:
    """The completed fixtures, one of which moves back: its copy is stored just before the change is made."""

    def __init__(self, database: Database) -> None:
        self._active, self._completed = database[FixtureCollection.ACTIVE], database[FixtureCollection.COMPLETED]

    async def find_one_and_update(self, *args: Any, **named: Any) -> Document | None:
        await self._active.insert_one({**FIXTURE, "in": FixtureCollection.ACTIVE})
        found: Document | None = await self._completed.find_one_and_update(*args, **named)
        return found

    async def find_one(self, *args: Any) -> Document | None:
        await self._active.insert_one({**FIXTURE, "in": FixtureCollection.ACTIVE})
        await self._completed.delete_one({"_id": 7})
        return await self._completed.find_one(*args)


async def test_a_fixture_that_is_moved_back_meanwhile_keeps_the_change(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(database, FixtureCollection.COMPLETED)
    goals = PairedCollections(database)
    monkeypatch.setattr(goals, "_second", MovingBackFixtures(database))
    assert await goals.update_one(GOAL, CHANGE)
    assert await changed(database) == {FixtureCollection.ACTIVE, FixtureCollection.COMPLETED}


async def test_the_active_copy_decides_while_another_exists(database: Database) -> None:
    """A clip would be lost with the other copy, and a removed goal would seem to be valid."""
    await put(database, FixtureCollection.COMPLETED)
    await database[FixtureCollection.ACTIVE].insert_one(
        {"_id": 7, "events": [], "removed_events": [{"_event_id": "7_1"}]}
    )
    goals = PairedCollections(database)
    assert await goals.find_one(GOAL, {"in": 1}) is None
    assert not await goals.update_one(GOAL, CHANGE)
    assert await changed(database) == set()


async def test_a_fixture_that_is_moved_back_meanwhile_is_found(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(database, FixtureCollection.COMPLETED)
    goals = PairedCollections(database)
    monkeypatch.setattr(goals, "_second", MovingBackFixtures(database))
    assert await goals.find_one(GOAL, {"in": 1}) is not None
