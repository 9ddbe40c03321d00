"""Python and MongoDB rank the same clips alike, and both as the specification says."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from found_footy.domain.ranking import has_correct_ranks, rank_clips, rank_clips_expression
from found_footy.platform.mongo import Database

Clip = dict[str, Any]

# Few values, so that ties are frequent; None and missing fields, as damaged or half-written records have them.
_flags, _numbers = st.sampled_from([True, False, None]), st.sampled_from([0, 1, 2, 2**40, None])
_optional = st.fixed_dictionaries(
    {},
    optional={
        "pinned": _flags,
        "timestamp_verified": _flags,
        "title_confirmed": _flags,
        "post_doubts": _numbers,
        "popularity": _numbers,
        "file_size": _numbers,
    },
)


@st.composite
def clip_lists(draw: st.DrawFn) -> list[Clip]:
    names = draw(st.lists(st.text("0123456789abcdef", min_size=1, max_size=3), max_size=6, unique=True))
    return [{"md5": name, "clip_id": f"clip-{name}", "rank": 7, **draw(_optional)} for name in names]


def expected_order(clips: list[Clip]) -> list[str]:
    """The specification, written a second time: pinned, verified, then of unverified ones those that a title confirms,
    then those with fewer doubts, then popularity and size; then MD5.
    """
    ordered = sorted(clips, key=lambda clip: str(clip["md5"]))
    for field in ("file_size", "popularity"):
        ordered.sort(key=lambda clip: int(clip.get(field) or 0), reverse=True)
    ordered.sort(key=lambda clip: 0 if clip.get("timestamp_verified") else int(clip.get("post_doubts") or 0))
    ordered.sort(key=lambda clip: bool(clip.get("timestamp_verified") or not clip.get("title_confirmed")))
    for field in ("timestamp_verified", "pinned"):
        ordered.sort(key=lambda clip: int(clip.get(field) or 0), reverse=True)
    return [clip["md5"] for clip in ordered]


@given(clip_lists())
def test_clips_are_ranked_as_specified(clips: list[Clip]) -> None:
    ranked = rank_clips(clips)
    assert [clip["md5"] for clip in ranked] == expected_order(clips)
    assert [clip["rank"] for clip in ranked] == list(range(1, len(clips) + 1))
    assert has_correct_ranks(ranked)
    assert has_correct_ranks(ranked[::-1])


@given(clip_lists())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_mongodb_ranks_clips_as_python_does(database: Database, clips: list[Clip]) -> None:
    await database.goals.replace_one({"_id": 1}, {"clips": clips}, upsert=True)
    await database.goals.update_one({"_id": 1}, [{"$set": {"clips": rank_clips_expression("$clips")}}])
    stored = await database.goals.find_one({"_id": 1})
    assert stored is not None
    assert stored["clips"] == rank_clips(clips)
