"""Compares the fingerprints of a batch with those of stored clips."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from found_footy.archive.dedup.rejections import to_rejected_clip
from found_footy.archive.messages import ComparePool, FingerprintRef, MatchedPair, PoolMatches
from found_footy.archive.moderation.fingerprints import BlockedFingerprints
from found_footy.archive.moderation.model import GoalModeration
from found_footy.fingerprint import (
    MAX_FINGERPRINT_BYTES,
    MOTION_VERSION,
    CorruptFingerprint,
    Fingerprint,
    FingerprintIndex,
    VersionMismatch,
)
from found_footy.platform.errors import NotFound, Refused
from found_footy.platform.objects import ObjectStore

_CONCURRENT_READS = 8
_CACHE_SIZE = 300

Heartbeat = Callable[[object], None]


class FingerprintComparer:
    """Caches the most recently used fingerprints of stored clips; the bytes of a key never change."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects
        self._blocked_fingerprints = BlockedFingerprints(objects)
        self._cache: OrderedDict[str, Fingerprint] = OrderedDict()

    async def compare_pool(self, pool: ComparePool, moderation: GoalModeration, heartbeat: Heartbeat) -> PoolMatches:
        """Raises Unavailable if the object store does not answer; a missing, corrupt or oversized fingerprint matches
        nothing.
        """
        refs = {ref.name: ref for ref in (*pool.corpus, *pool.queries)}
        fingerprints = await self._load_fingerprints(refs.values(), heartbeat)
        queries = {ref.name: fingerprints[ref.name] for ref in pool.queries if ref.name in fingerprints}
        pairs = await self._find_pairs(queries, fingerprints, heartbeat)
        new = {name: one for name, one in queries.items() if not refs[name].stored}
        blocked = await self._blocked_fingerprints.find_matches(moderation.blocks, new)
        return PoolMatches(
            pairs,
            tuple(
                replace(to_rejected_clip(name, one), matched_block_key=one.fingerprint_key)
                for name, one in sorted(blocked.items())
            ),
            tuple(sorted(refs.keys() - fingerprints.keys())),
            tuple(sorted(moderation.fingerprint_keys)),
        )

    async def _find_pairs(
        self, queries: Mapping[str, Fingerprint], fingerprints: Mapping[str, Fingerprint], heartbeat: Heartbeat
    ) -> tuple[MatchedPair, ...]:
        if not queries:
            return ()
        index = await asyncio.to_thread(_build_index, fingerprints)
        pairs: dict[tuple[str, str], MatchedPair] = {}
        for number, (name, one) in enumerate(queries.items()):
            heartbeat(f"{number} of {len(queries)} compared with {len(fingerprints)}")
            for other, match in await asyncio.to_thread(index.query, one):
                first, second = sorted((name, other))
                pairs[first, second] = MatchedPair(first, second, round(match.score, 4), match.evidence.value)
        return tuple(pair for (one_, other), pair in sorted(pairs.items()) if one_ != other)

    async def _load_fingerprints(self, refs: Iterable[FingerprintRef], heartbeat: Heartbeat) -> dict[str, Fingerprint]:
        semaphore = asyncio.Semaphore(_CONCURRENT_READS)

        async def load(ref: FingerprintRef) -> tuple[str, Fingerprint | None]:
            async with semaphore:
                loaded = await self._load_fingerprint(ref)
            heartbeat("loading")
            return ref.name, loaded

        readable = [ref for ref in refs if ref.hash_version == MOTION_VERSION and ref.fingerprint_key]
        found = await asyncio.gather(*(load(ref) for ref in readable))
        return {name: one for name, one in found if one is not None}

    async def _load_fingerprint(self, ref: FingerprintRef) -> Fingerprint | None:
        for key in (ref.fingerprint_key, ref.fallback_key):
            try:
                if key:
                    return await self._read_cached(key, keep=ref.stored)
            except (NotFound, Refused, CorruptFingerprint, VersionMismatch):
                # The clip is still identified by its MD5; `PoolMatches.unreadable` names it.
                continue
        return None

    async def _read_cached(self, key: str, *, keep: bool) -> Fingerprint:
        if key in self._cache:
            self._cache.move_to_end(key)
            return self._cache[key]
        found = Fingerprint.from_bytes(await self._objects.get_bytes(key, limit=MAX_FINGERPRINT_BYTES))
        if keep:
            self._cache[key] = found
            while len(self._cache) > _CACHE_SIZE:
                self._cache.popitem(last=False)
        return found


def _build_index(fingerprints: Mapping[str, Fingerprint]) -> FingerprintIndex[str]:
    index: FingerprintIndex[str] = FingerprintIndex()
    for name, one in fingerprints.items():
        index.add(name, one)
    return index
