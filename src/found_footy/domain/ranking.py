"""The order of a goal's clips, best first, as a Python sort key and as a MongoDB expression.

The archive ranks in Python, because it replaces the whole list of clips; moderation, repair and reattribution rank in
MongoDB, because they change a list that they have not read. Both follow the same fields.
"""

from collections.abc import Iterable, Mapping
from math import inf
from typing import Any

PINNED_FIELD = "pinned"

# Whether the title of a post confirms the goal that the clip shows.
TITLE_CONFIRMED_FIELD = "title_confirmed"

_VERIFIED_FIELD, _DOUBTS_FIELD = "timestamp_verified", "post_doubts"
# What posts say counts only where the picture does not prove the minute; doubts count against a clip.
_POST_FIELDS = {TITLE_CONFIRMED_FIELD: 1, _DOUBTS_FIELD: -1}
# The clip with the higher value of the first field in which two clips differ is better; a missing field counts as 0.
_HIGHER_IS_BETTER = (PINNED_FIELD, _VERIFIED_FIELD, *_POST_FIELDS, "popularity", "file_size")
# Unique among the clips of a goal, so that the order is total; the lower value comes first.
_TIE_BREAKER = "md5"


def ranking_key(clip: Mapping[str, Any]) -> tuple[float | str, ...]:
    """Return the key by which clips are sorted, best first."""
    return (*(-_field_value(clip, field) for field in _HIGHER_IS_BETTER), clip.get(_TIE_BREAKER) or "")


def _field_value(clip: Mapping[str, Any], field: str) -> float:
    value = float(clip.get(field) or 0)
    if field not in _POST_FIELDS:
        return value
    return 0.0 if clip.get(_VERIFIED_FIELD) else _POST_FIELDS[field] * value


def rank_clips(clips: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Sort the clips, best first, and set `rank` to 1, 2, 3, …"""
    return [{**clip, "rank": place} for place, clip in enumerate(sorted(clips, key=ranking_key), start=1)]


def stored_rank_key(clip: Mapping[str, Any]) -> tuple[float, str]:
    """Return the key by which stored clips are put into the order of their ranks; one without a rank comes last."""
    rank, md5 = clip.get("rank"), clip.get(_TIE_BREAKER)
    return float(rank) if isinstance(rank, int | float) and rank else inf, md5 if isinstance(md5, str) else ""


def has_correct_ranks(clips: Iterable[Mapping[str, Any]]) -> bool:
    """Whether each clip has the rank that `rank_clips` sets, in whatever order the clips are stored."""
    return all(clip.get("rank") == place for place, clip in enumerate(sorted(clips, key=ranking_key), start=1))


def rank_clips_expression(clips: Any) -> dict[str, Any]:
    """Return the expression that does what `rank_clips` does; `clips` is an expression that yields a list of clips.

    The sort keys are computed first: $sortArray orders a missing field, null, false and 0 by their types.
    """
    keys: dict[str, Any] = {field: {"$toDouble": {"$ifNull": [f"$$clip.{field}", 0]}} for field in _HIGHER_IS_BETTER}
    for field, sign in _POST_FIELDS.items():
        keys[field] = {"$cond": [{"$gt": [keys[_VERIFIED_FIELD], 0]}, 0, {"$multiply": [sign, keys[field]]}]}
    keys[_TIE_BREAKER] = {"$ifNull": [f"$$clip.{_TIE_BREAKER}", ""]}
    keyed = {"$map": {"input": clips, "as": "clip", "in": {"clip": "$$clip", "keys": keys}}}
    order = {f"keys.{field}": -1 for field in _HIGHER_IS_BETTER} | {f"keys.{_TIE_BREAKER}": 1}
    best_first = {"$map": {"input": {"$sortArray": {"input": keyed, "sortBy": order}}, "in": "$$this.clip"}}
    rank = {"rank": {"$add": ["$$place", 1]}}
    ranked = {"$mergeObjects": [{"$arrayElemAt": ["$$best_first", "$$place"]}, rank]}
    places = {"$range": [0, {"$size": "$$best_first"}]}
    return {
        "$let": {"vars": {"best_first": best_first}, "in": {"$map": {"input": places, "as": "place", "in": ranked}}}
    }
