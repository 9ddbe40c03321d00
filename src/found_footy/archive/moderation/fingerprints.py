"""Finds clips whose fingerprints match a blocked clip."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence

from found_footy.archive.moderation.model import BlockScope, ContentBlock
from found_footy.archive.moderation.objects import clip_fingerprint_key
from found_footy.archive.moderation.store import LocatedClip
from found_footy.fingerprint import (
    MAX_FINGERPRINT_BYTES,
    MOTION_VERSION,
    CorruptFingerprint,
    Fingerprint,
    FingerprintIndex,
    VersionMismatch,
    compare_fingerprints,
)
from found_footy.platform.errors import NotFound
from found_footy.platform.objects import ObjectStore

_CONCURRENT_READS = 8


class BlockedFingerprints:
    """Holds the fingerprints of blocked clips in memory; they are read once, because the bytes of a key never
    change."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects
        self._index: FingerprintIndex[str] = FingerprintIndex()
        self._unreadable: set[str] = set()
        self._lock = asyncio.Lock()

    async def find_matches(
        self, blocks: Iterable[ContentBlock], candidates: Mapping[str, Fingerprint]
    ) -> dict[str, ContentBlock]:
        """The `candidates`, by name, that match a blocked clip, each with its block."""
        by_key = {
            one.fingerprint_key: one for one in blocks if one.fingerprint_key and one.hash_version == MOTION_VERSION
        }
        if not by_key or not candidates:
            return {}
        async with self._lock:
            await self._load_fingerprints(by_key)
            found = await asyncio.to_thread(self._query_index, candidates)
        matches = {name: [by_key[key] for key in keys if key in by_key] for name, keys in found.items()}
        return {name: found_blocks[0] for name, found_blocks in matches.items() if found_blocks}

    async def _load_fingerprints(self, keys: Iterable[str]) -> None:
        for key in keys:
            if key in self._index or key in self._unreadable:
                continue
            try:
                data = await self._objects.get_bytes(key, limit=MAX_FINGERPRINT_BYTES)
                self._index.add(key, Fingerprint.from_bytes(data))
            except (NotFound, CorruptFingerprint, VersionMismatch):
                # Its files are still blocked by MD5; the integrity report names the missing fingerprint.
                self._unreadable.add(key)

    def _query_index(self, candidates: Mapping[str, Fingerprint]) -> dict[str, list[str]]:
        return {name: [key for key, _ in self._index.query(one)] for name, one in candidates.items()}


class LookalikeFinder:
    """Finds the stored clips that match a clip being blocked."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    async def find_lookalikes(
        self, fingerprint_keys: Iterable[str], stored: AsyncIterator[LocatedClip]
    ) -> list[LocatedClip]:
        """Clips whose fingerprint cannot be read are left out."""
        fingerprints = [await self._read_fingerprint(key) for key in fingerprint_keys]
        wanted = [one for one in fingerprints if one is not None]
        found: dict[str, LocatedClip] = {}
        if not wanted:
            return []
        async for some in _iter_batches(stored):
            lookalikes = await asyncio.gather(*(self._is_lookalike(located, wanted) for located in some))
            found |= {located.clip_id: located for located, is_alike in zip(some, lookalikes, strict=True) if is_alike}
        return list(found.values())

    async def find_blocked(
        self, blocks: Iterable[ContentBlock], stored: AsyncIterator[LocatedClip], heartbeat: Callable[[object], None]
    ) -> list[LocatedClip]:
        """The stored clips that match one that was taken down."""
        taken_down = [one for one in blocks if one.scope is BlockScope.TAKEN_DOWN and one.fingerprint_key]
        found: dict[str, LocatedClip] = {}
        if not taken_down:
            return []
        fingerprints = BlockedFingerprints(self._objects)
        async for some in _iter_batches(stored):
            heartbeat(f"{len(some)} clips compared with the blocked content")
            read = await asyncio.gather(
                *(self._read_fingerprint(clip_fingerprint_key(located.clip)) for located in some)
            )
            by_id = {located.clip_id: located for located in some}
            given = {name: one for name, one in zip(by_id, read, strict=False) if one is not None}
            found |= {name: by_id[name] for name in await fingerprints.find_matches(taken_down, given)}
        return list(found.values())

    async def _is_lookalike(self, located: LocatedClip, wanted: Sequence[Fingerprint]) -> bool:
        one = await self._read_fingerprint(clip_fingerprint_key(located.clip))
        return one is not None and await asyncio.to_thread(_matches_any, one, wanted)

    async def _read_fingerprint(self, key: str) -> Fingerprint | None:
        try:
            return Fingerprint.from_bytes(await self._objects.get_bytes(key, limit=MAX_FINGERPRINT_BYTES))
        except (NotFound, CorruptFingerprint, VersionMismatch):
            return None


def _matches_any(one: Fingerprint, wanted: Sequence[Fingerprint]) -> bool:
    return any(compare_fingerprints(one, other).matched for other in wanted)


async def _iter_batches(stored: AsyncIterator[LocatedClip]) -> AsyncIterator[list[LocatedClip]]:
    """The clips that have a fingerprint, in small batches that are read concurrently."""
    batch: list[LocatedClip] = []
    async for located in stored:
        if located.clip.get("hash_version") == MOTION_VERSION:
            batch.append(located)
        if len(batch) == _CONCURRENT_READS:
            yield batch
            batch = []
    yield batch
