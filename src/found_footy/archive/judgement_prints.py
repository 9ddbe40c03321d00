"""Which clips look like one that people have sent away."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence

from found_footy.archive.judgement import Refusal, Scope
from found_footy.archive.judgement_objects import print_key_of
from found_footy.archive.judgement_store import Held
from found_footy.fingerprint import MOTION_VERSION, CorruptFingerprint, Fingerprint, Index, VersionMismatch, compare
from found_footy.platform.errors import NotFound
from found_footy.platform.objects import ObjectStore

# A fingerprint has about a kilobyte per second, and clips have a minute at most.
LARGEST_PRINT = 1024 * 1024
_AT_ONCE = 8


class RefusedPrints:
    """Keeps the fingerprints of refused clips in memory; they are read once, because a key never gets other bytes."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects
        self._index: Index[str] = Index()
        self._unreadable: set[str] = set()
        self._turn = asyncio.Lock()

    async def among(self, refused: Iterable[Refusal], candidates: Mapping[str, Fingerprint]) -> dict[str, Refusal]:
        """Of `candidates`, by whatever name they are given, those that show the same as a refused clip, and which."""
        by_key = {one.print_key: one for one in refused if one.print_key and one.hash_version == MOTION_VERSION}
        if not by_key or not candidates:
            return {}
        async with self._turn:
            await self._load(by_key)
            found = await asyncio.to_thread(self._query, candidates)
        matches = {name: [by_key[key] for key in keys if key in by_key] for name, keys in found.items()}
        return {name: refusals[0] for name, refusals in matches.items() if refusals}

    async def _load(self, keys: Iterable[str]) -> None:
        for key in keys:
            if key in self._index or key in self._unreadable:
                continue
            try:
                data = await self._objects.get_bytes(key, limit=LARGEST_PRINT)
                self._index.add(key, Fingerprint.from_bytes(data))
            except (NotFound, CorruptFingerprint, VersionMismatch):
                # Its bytes are still refused by their MD5; the integrity report names the print that is missing.
                self._unreadable.add(key)

    def _query(self, candidates: Mapping[str, Fingerprint]) -> dict[str, list[str]]:
        return {name: [key for key, _ in self._index.query(one)] for name, one in candidates.items()}


class Lookalikes:
    """Which stored clips show the same as one that is sent away."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    async def of(self, print_keys: Iterable[str], stored: AsyncIterator[Held]) -> list[Held]:
        """A clip whose fingerprint cannot be read is not among them."""
        prints = [await self._read(key) for key in print_keys]
        wanted = [one for one in prints if one is not None]
        found: dict[str, Held] = {}
        if not wanted:
            return []
        async for some in _batches(stored):
            alike = await asyncio.gather(*(self._is_alike(held, wanted) for held in some))
            found |= {held.clip_id: held for held, is_alike in zip(some, alike, strict=True) if is_alike}
        return list(found.values())

    async def blocked(
        self, refused: Iterable[Refusal], stored: AsyncIterator[Held], beat: Callable[[object], None]
    ) -> list[Held]:
        """The stored clips that show the same as one that was taken down."""
        taken_down = [one for one in refused if one.scope is Scope.TAKEN_DOWN and one.print_key]
        found: dict[str, Held] = {}
        if not taken_down:
            return []
        prints = RefusedPrints(self._objects)
        async for some in _batches(stored):
            beat(f"{len(some)} clips compared with what was taken down")
            read = await asyncio.gather(*(self._read(print_key_of(held.clip)) for held in some))
            by_id = {held.clip_id: held for held in some}
            given = {name: one for name, one in zip(by_id, read, strict=False) if one is not None}
            found |= {name: by_id[name] for name in await prints.among(taken_down, given)}
        return list(found.values())

    async def _is_alike(self, held: Held, wanted: Sequence[Fingerprint]) -> bool:
        one = await self._read(print_key_of(held.clip))
        return one is not None and await asyncio.to_thread(_matches_any, one, wanted)

    async def _read(self, key: str) -> Fingerprint | None:
        try:
            return Fingerprint.from_bytes(await self._objects.get_bytes(key, limit=LARGEST_PRINT))
        except (NotFound, CorruptFingerprint, VersionMismatch):
            return None


def _matches_any(one: Fingerprint, wanted: Sequence[Fingerprint]) -> bool:
    return any(compare(one, other).matched for other in wanted)


async def _batches(stored: AsyncIterator[Held]) -> AsyncIterator[list[Held]]:
    """The clips that have a fingerprint, a few at a time: one is read while another is compared."""
    batch: list[Held] = []
    async for held in stored:
        if held.clip.get("hash_version") == MOTION_VERSION:
            batch.append(held)
        if len(batch) == _AT_ONCE:
            yield batch
            batch = []
    yield batch
