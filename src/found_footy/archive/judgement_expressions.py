"""People's decisions as updates of a goal: MongoDB decides on the document's current value and writes, in one."""

from collections.abc import Mapping, Sequence
from typing import Any

from found_footy.archive.judgement import JUDGEMENTS, PINNED

Expression = dict[str, Any]

# A goal that was struck out may be given back, and its clips with it: people's word holds for both.
GOAL_LISTS = ("events", "removed_events")
BEST_FIRST = {PINNED: -1, "timestamp_verified": -1, "popularity": -1, "file_size": -1, "md5": 1}


def on_goal(event_id: str, fields: Mapping[str, Any]) -> list[Expression]:
    """An update that sets `fields` on one goal, standing or struck out; they may refer to it as $$event."""
    same = {"$eq": ["$$event._event_id", literal(event_id)]}
    chosen = {"$cond": [same, {"$mergeObjects": ["$$event", dict(fields)]}, "$$event"]}
    mapped = {
        name: {"$cond": [{"$isArray": f"${name}"}, _map(f"${name}", "event", chosen), f"${name}"]}
        for name in GOAL_LISTS
    }
    return [{"$set": mapped}]


def pinned(clip_id: str) -> dict[str, Expression]:
    """One clip is the best because a person says so; whatever was pinned before is not any more."""
    pin = {"$mergeObjects": ["$$clip", {PINNED: True}]}
    return {"_s3_videos": _in_order(_each({"$cond": [_is(clip_id), pin, _unpinned()]}))}


def unpinned(clip_id: str) -> dict[str, Expression]:
    return {"_s3_videos": _in_order(_each({"$cond": [_is(clip_id), _unpinned(), "$$clip"]}))}


def dropped(clip_id: str, key: str) -> dict[str, Expression]:
    """The goal's clips without one, if it still is the one with this file: a better copy may have come meanwhile."""
    same = {"$and": [_is(clip_id), {"$eq": ["$$clip._s3_key", literal(key)]}]}
    return {"_s3_videos": _in_order({"$filter": {"input": _clips(), "as": "clip", "cond": {"$not": [same]}}})}


def refusing(clip_id: str, key: str, refusals: Sequence[Mapping[str, Any]]) -> dict[str, Expression]:
    """The clip goes, if it still is the one with this file, and what it is known by is remembered, in one."""
    known = literal([md5 for row in refusals for md5 in row["md5s"]])
    said = {"$and": [_is(clip_id), {"$setIsSubset": ["$$clip.md5s", known]}]}
    others = {"$filter": {"input": _judged("refused"), "as": "clip", "cond": {"$not": [said]}}}
    rows = {"$concatArrays": [others, literal([dict(row) for row in refusals])]}
    return {**dropped(clip_id, key), **_judging("refused", rows)}


def kept_apart(row: Mapping[str, Any]) -> dict[str, Expression]:
    """`row["clips"]` names the pair; said again, it is the same word."""
    differs = {"$ne": ["$$said.clips", literal(list(row["clips"]))]}
    rows = {"$filter": {"input": _judged("apart"), "as": "said", "cond": differs}}
    return _judging("apart", {"$concatArrays": [rows, [literal(dict(row))]]})


def lifted(md5s: Sequence[str]) -> dict[str, Expression]:
    """Refusals of any of these files count no longer; they stay, so that an old address still says "gone"."""
    shared = {"$setIntersection": [{"$ifNull": ["$$clip.md5s", []]}, literal(list(md5s))]}
    freed = {"$mergeObjects": ["$$clip", {"lifted": True}]}
    choice = {"$cond": [{"$gt": [{"$size": shared}, 0]}, freed, "$$clip"]}
    return _judging("refused", _map(_judged("refused"), "clip", choice))


def recounted() -> dict[str, Expression]:
    """Popularity from the sources, ranks from the order: what the archive would have written."""
    size = {"$size": {"$ifNull": ["$$clip._sources", []]}}
    return {"_s3_videos": _in_order(_each({"$mergeObjects": ["$$clip", {"popularity": size}]}))}


def with_field(clip_id: str, field: str, value: Any) -> dict[str, Expression]:
    changed = {"$mergeObjects": ["$$clip", {field: literal(value)}]}
    return {"_s3_videos": _each({"$cond": [_is(clip_id), changed, "$$clip"]})}


def literal(value: Any) -> Expression:
    """What came from outside is never read as an expression."""
    return {"$literal": value}


def _is(clip_id: str) -> Expression:
    return {"$eq": ["$$clip.clip_id", literal(clip_id)]}


def _unpinned() -> Expression:
    return {"$unsetField": {"field": PINNED, "input": "$$clip"}}


def _each(change: Expression) -> Expression:
    return _map(_clips(), "clip", change)


def _in_order(clips: Expression) -> Expression:
    """The clips best first, numbered 1, 2, 3, …"""
    rank = {"rank": {"$add": ["$$place", 1]}}
    numbered = {"$mergeObjects": [{"$arrayElemAt": ["$$sorted", "$$place"]}, rank]}
    places = {"$range": [0, {"$size": "$$sorted"}]}
    best = {"$sortArray": {"input": clips, "sortBy": BEST_FIRST}}
    return {"$let": {"vars": {"sorted": best}, "in": _map(places, "place", numbered)}}


def _clips() -> Expression:
    return {"$ifNull": ["$$event._s3_videos", []]}


def _judged(name: str) -> Expression:
    return {"$ifNull": [f"$$event.{JUDGEMENTS}.{name}", []]}


def _judging(name: str, rows: Expression) -> dict[str, Expression]:
    return {JUDGEMENTS: {"$mergeObjects": [{"$ifNull": [f"$$event.{JUDGEMENTS}", {}]}, {name: rows}]}}


def _map(rows: Any, name: str, each: Expression) -> Expression:
    return {"$map": {"input": rows, "as": name, "in": each}}
