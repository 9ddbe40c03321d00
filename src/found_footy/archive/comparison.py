"""Comparing the fingerprints of a batch with those of stored clips."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from found_footy.archive.judgement import Judgements
from found_footy.archive.judgement_prints import RefusedPrints
from found_footy.archive.messages import ComparePool, MatchedPair, Matches, Sample
from found_footy.archive.refusals import sent_away
from found_footy.fingerprint import MOTION_VERSION, CorruptFingerprint, Fingerprint, Index, VersionMismatch
from found_footy.platform.errors import NotFound, Refused
from found_footy.platform.objects import ObjectStore

# A fingerprint has about a kilobyte per second, and clips have a minute at most.
LARGEST_PRINT = 1024 * 1024
_AT_ONCE = 8
_KEPT = 300

Heartbeat = Callable[[object], None]


class Comparer:
    """Keeps the fingerprints of stored clips that it met last; a key never gets other bytes."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects
        self._refused = RefusedPrints(objects)
        self._kept: OrderedDict[str, Fingerprint] = OrderedDict()

    async def compare(self, pool: ComparePool, judgements: Judgements, beat: Heartbeat) -> Matches:
        """Raises Unavailable if the store does not answer; a fingerprint that is lost, broken or absurdly large matches
        nothing.
        """
        samples = {sample.name: sample for sample in (*pool.corpus, *pool.asked)}
        prints = await self._load(samples.values(), beat)
        asked = {sample.name: prints[sample.name] for sample in pool.asked if sample.name in prints}
        pairs = await self._pairs(asked, prints, beat)
        new = {name: one for name, one in asked.items() if not samples[name].known}
        refused = await self._refused.among(judgements.refused, new)
        return Matches(
            pairs,
            tuple(replace(sent_away(name, one), alike=one.print_key) for name, one in sorted(refused.items())),
            tuple(sorted(samples.keys() - prints.keys())),
            tuple(sorted(judgements.prints)),
        )

    async def _pairs(
        self, asked: Mapping[str, Fingerprint], prints: Mapping[str, Fingerprint], beat: Heartbeat
    ) -> tuple[MatchedPair, ...]:
        if not asked:
            return ()
        index = await asyncio.to_thread(_indexed, prints)
        pairs: dict[tuple[str, str], MatchedPair] = {}
        for number, (name, one) in enumerate(asked.items()):
            beat(f"{number} of {len(asked)} compared with {len(prints)}")
            for other, match in await asyncio.to_thread(index.query, one):
                first, second = sorted((name, other))
                pairs[first, second] = MatchedPair(first, second, round(match.score, 4), match.evidence.value)
        return tuple(pair for (one_, other), pair in sorted(pairs.items()) if one_ != other)

    async def _load(self, samples: Iterable[Sample], beat: Heartbeat) -> dict[str, Fingerprint]:
        turns = asyncio.Semaphore(_AT_ONCE)

        async def load(sample: Sample) -> tuple[str, Fingerprint | None]:
            async with turns:
                loaded = await self._print_of(sample)
            beat("loading")
            return sample.name, loaded

        readable = [sample for sample in samples if sample.hash_version == MOTION_VERSION and sample.print_key]
        found = await asyncio.gather(*(load(sample) for sample in readable))
        return {name: one for name, one in found if one is not None}

    async def _print_of(self, sample: Sample) -> Fingerprint | None:
        for key in (sample.print_key, sample.spare_key):
            try:
                if key:
                    return await self._read(key, keep=sample.known)
            except (NotFound, Refused, CorruptFingerprint, VersionMismatch):
                # The clip is still known by its bytes; `Matches.unreadable` names it.
                continue
        return None

    async def _read(self, key: str, *, keep: bool) -> Fingerprint:
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        found = Fingerprint.from_bytes(await self._objects.get_bytes(key, limit=LARGEST_PRINT))
        if keep:
            self._kept[key] = found
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found


def _indexed(prints: Mapping[str, Fingerprint]) -> Index[str]:
    index: Index[str] = Index()
    for name, one in prints.items():
        index.add(name, one)
    return index
