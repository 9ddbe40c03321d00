"""Comparing a pool: what matches is found, what cannot be read is named, a store that is away is an error."""

from dataclasses import replace
from datetime import timedelta

import pytest

from found_footy.archive.dedup.compare import FingerprintComparer
from found_footy.archive.messages import ComparePool, FingerprintRef
from found_footy.archive.moderation.model import BlockScope, ContentBlock, GoalModeration
from found_footy.domain.outcomes import ClipOutcome
from found_footy.fingerprint import MAX_FINGERPRINT_BYTES, MOTION_VERSION
from found_footy.platform.errors import Unavailable
from found_footy.platform.objects import ObjectStore
from tests.support.pipeline.goals import make_goal
from tests.support.pipeline.recordings import copy_of

pytestmark = pytest.mark.usefixtures("sound_records")

GOAL = make_goal()


def a_sample(name: str, **changes: object) -> FingerprintRef:
    return replace(FingerprintRef(name, f"{name}.print", MOTION_VERSION), **changes)  # type: ignore[arg-type]


async def put(objects: ObjectStore, **prints: bytes) -> None:
    for name, data in prints.items():
        await objects.put_bytes(f"{name}.print", data, content_type="application/octet-stream")


async def test_a_pool_is_compared_with_everything_it_can_read(objects: ObjectStore) -> None:
    best, poor, other = (copy_of(1).print, copy_of(1, "poor").print, copy_of(2).print)
    await put(objects, best=best.to_bytes(), other=other.to_bytes(), twin=poor.to_bytes(), spare=poor.to_bytes())
    await put(objects, broken=b"no print", huge=bytes(MAX_FINGERPRINT_BYTES + 1))
    corpus = [a_sample(name) for name in ("best", "other", "broken", "huge", "missing")]
    corpus += [a_sample("elsewhere/best", fingerprint_key="best.print"), a_sample("old", hash_version="dense:0.25")]
    asked = (
        a_sample("new", fingerprint_key="gone.print", fallback_key="spare.print", stored=False),
        a_sample("broken"),
    )
    comparer, beats = FingerprintComparer(objects), list[object]()
    found = await comparer.compare_pool(ComparePool(GOAL, asked, tuple(corpus)), GoalModeration(), beats.append)
    assert [(pair.one, pair.other) for pair in found.pairs] == [("best", "new"), ("elsewhere/best", "new")]
    assert all(pair.score > 0.5 and pair.evidence == "motion" for pair in found.pairs)
    assert found.unreadable == ("broken", "huge", "missing", "old")
    assert beats

    # Stored prints are kept at hand, and the word of people is obeyed.
    await objects.delete("best.print")
    word = GoalModeration(blocks=(ContentBlock(("x",), BlockScope.TAKEN_DOWN, "twin.print", MOTION_VERSION),))
    again = await comparer.compare_pool(ComparePool(GOAL, asked[:1], tuple(corpus)), word, beats.append)
    assert again.pairs == found.pairs
    assert [(refused.md5, refused.outcome) for refused in again.rejected] == [("new", ClipOutcome.BLOCKED)]


async def test_the_copy_is_found_among_many_stored_clips(objects: ObjectStore) -> None:
    await put(
        objects, wanted=copy_of(1).print.to_bytes(), **{f"s{n}": copy_of(2 + n % 3).print.to_bytes() for n in range(60)}
    )
    corpus = tuple(a_sample(name) for name in ("wanted", *(f"s{n}" for n in range(60))))
    await put(objects, new=copy_of(1, "poor").print.to_bytes())
    pool = ComparePool(GOAL, (a_sample("new", stored=False),), corpus)
    found = await FingerprintComparer(objects).compare_pool(pool, GoalModeration(), lambda _: None)
    assert [(pair.one, pair.other) for pair in found.pairs] == [("new", "wanted")]


async def test_an_unreachable_store_does_not_mean_that_a_clip_has_no_copies() -> None:
    away = ObjectStore("http://127.0.0.1:1", "x", "y", "nowhere", timeout=timedelta(seconds=1), attempts=1)
    with pytest.raises(Unavailable):
        await FingerprintComparer(away).compare_pool(
            ComparePool(GOAL, (a_sample("a"),), ()), GoalModeration(), lambda _: None
        )
    await away.aclose()
