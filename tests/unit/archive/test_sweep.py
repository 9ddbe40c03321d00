"""A sweep and an upload that meet at the same object, in every order their steps can have."""

from collections.abc import AsyncIterator, Coroutine, Generator, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import chain, repeat
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.archive.maintenance.integrity import StoredFixtureCopy
from found_footy.archive.maintenance.sweep import ORPHANS_ALLOWED, OrphanObjects, Trash
from found_footy.domain.collections import FixtureCollection
from found_footy.platform.errors import NotFound
from found_footy.platform.objects import ObjectInfo

NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)
OLD = NOW - timedelta(days=3)
KEY = f"7/7_40_1_Goal_1/{'a' * 32}.mp4"


class Step:
    """One step of one of the parties; between two steps, anything may happen."""

    def __await__(self) -> Generator[None, None, None]:
        yield


@dataclass
class World:
    """A store and records that take one step per call."""

    objects: dict[str, datetime] = field(default_factory=dict)
    recorded: bool = False

    async def head(self, key: str) -> ObjectInfo | None:
        await Step()
        return ObjectInfo(key, 5, "", "", {}, self.objects[key]) if key in self.objects else None

    async def copy(self, source: str, target: str) -> ObjectInfo:
        await Step()
        if source not in self.objects:
            raise NotFound(source)
        self.objects[target] = NOW
        return ObjectInfo(target, 5, "", "", {}, NOW)

    async def delete(self, key: str) -> None:
        await Step()
        self.objects.pop(key, None)

    async def load_copies(self, fixture_id: int) -> list[StoredFixtureCopy]:
        await Step()
        clips = [{"_s3_key": KEY}] if self.recorded else []
        return [
            StoredFixtureCopy(
                FixtureCollection.ACTIVE, {"_id": fixture_id, "events": [{"_event_id": "e", "_s3_videos": clips}]}
            )
        ]

    async def has_blocked_fingerprint(self, key: str) -> bool:
        await Step()
        return key == "blocklist/kept.print"

    async def is_scratch_needed(self, event_id: str) -> bool:
        await Step()
        return event_id == "wanted"

    async def upload(self, always_copies: bool) -> None:
        """What an upload does: it copies unless the object is there, and then it records."""
        there = await self.head(KEY)
        if always_copies or there is None:
            await self.copy("scratch/e/a.mp4", KEY)
        await Step()
        self.recorded = True

    async def list(self, prefix: str = "") -> AsyncIterator[ObjectInfo]:
        await Step()
        for key, modified in sorted(self.objects.items()):
            if key.startswith(prefix):
                yield ObjectInfo(key, 5, "", "", {}, modified)


def interleaved(picks: Iterable[int], *parties: Coroutine[Any, Any, Any]) -> None:
    """Let the parties take their steps in the order of the picks, until all have finished."""
    alive = list(parties)
    for pick in chain(picks, repeat(0)):
        if not alive:
            return
        party = alive[pick % len(alive)]
        try:
            party.send(None)
        except StopIteration:
            alive.remove(party)


@given(st.lists(st.integers(0, 2), max_size=60), st.booleans(), st.booleans())
def test_whatever_their_order_a_recorded_object_is_there_in_the_end(
    picks: list[int], always_copies: bool, two_sweeps: bool
) -> None:
    world = World({KEY: OLD, "scratch/e/a.mp4": NOW})
    sweeps = [Trash(world, world).move_to_trash(KEY, NOW - timedelta(days=1)) for _ in range(1 + two_sweeps)]
    interleaved(picks, world.upload(always_copies), *sweeps)
    interleaved((), Trash(world, world).empty(NOW + timedelta(hours=2), lambda _: None))
    assert world.recorded
    assert KEY in world.objects
    assert not [key for key in world.objects if key.startswith("trash/")]


@given(st.lists(st.integers(0, 1), max_size=60))
def test_an_upload_that_checks_once_more_has_its_object_without_waiting_for_the_sweep(picks: list[int]) -> None:
    """A replacement that is carried out late, and an upload that found the object and records it."""
    world = World({KEY: OLD})
    bin_ = Trash(world, world)

    async def upload() -> None:
        await world.upload(always_copies=False)
        if await world.head(KEY) is None and await bin_.is_needed(KEY):
            await bin_.restore(KEY)

    try:
        interleaved(picks, upload(), bin_.move_to_trash(KEY, NOW))
    except NotFound:
        # Nothing was left to find, and there is no scratch file here: the upload says that the clip is lost.
        assert not world.recorded
    else:
        assert KEY in world.objects


@given(st.lists(st.integers(0, 2), max_size=30))
def test_without_an_upload_the_object_is_deleted(picks: list[int]) -> None:
    world = World({KEY: OLD})
    sweeps = [Trash(world, world).move_to_trash(KEY, NOW - timedelta(days=1)) for _ in range(2)]
    interleaved(picks, *sweeps)
    interleaved((), Trash(world, world).empty(NOW + timedelta(hours=2), lambda _: None))
    assert world.objects == {}


def test_recent_needed_and_foreign_objects_stay() -> None:
    world = World({KEY: NOW, **dict.fromkeys(("readme", "scratch/wanted/a.mp4", "blocklist/kept.print"), OLD)})
    interleaved((), *(Trash(world, world).move_to_trash(key, NOW - timedelta(days=1)) for key in list(world.objects)))
    assert len(world.objects) == 4


@pytest.mark.parametrize(
    ("needless", "needed", "too_many"),
    [
        (ORPHANS_ALLOWED, 0, False),
        (ORPHANS_ALLOWED + 1, 0, True),
        (ORPHANS_ALLOWED + 1, 9 * (ORPHANS_ALLOWED + 1), False),
        (ORPHANS_ALLOWED + 1, 9 * (ORPHANS_ALLOWED + 1) - 1, True),
    ],
)
def test_more_than_a_tenth_and_more_than_a_few_are_too_many_to_be_orphans(
    needless: int, needed: int, too_many: bool
) -> None:
    orphans = OrphanObjects()
    for number in range(needless + needed):
        orphans.count_object(str(number), unneeded=number < needless)
    assert orphans.has_too_many is too_many
    assert len(orphans.keys) == orphans.found == needless
