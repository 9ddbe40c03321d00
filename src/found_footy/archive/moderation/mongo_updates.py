"""Moderation actions as updates of a goal: MongoDB evaluates the current value and writes in one operation."""

from collections.abc import Mapping, Sequence
from typing import Any

from found_footy.archive.moderation.model import MODERATION_FIELD
from found_footy.domain.goals import GOAL_LISTS
from found_footy.domain.ranking import PINNED_FIELD, rank_clips_expression

Expression = dict[str, Any]


def build_goal_update(event_id: str, fields: Mapping[str, Any]) -> list[Expression]:
    """An update that sets `fields` on one goal, removed or not; they may refer to it as $$event."""
    same = {"$eq": ["$$event._event_id", literal(event_id)]}
    chosen = {"$cond": [same, {"$mergeObjects": ["$$event", dict(fields)]}, "$$event"]}
    mapped = {
        name: {"$cond": [{"$isArray": f"${name}"}, _map_array(f"${name}", "event", chosen), f"${name}"]}
        for name in GOAL_LISTS
    }
    return [{"$set": mapped}]


def pin_clip(clip_id: str) -> dict[str, Expression]:
    """Pin one clip as the best of its goal; the pin of any other clip is removed."""
    pin = {"$mergeObjects": ["$$clip", {PINNED_FIELD: True}]}
    return {"_s3_videos": rank_clips_expression(_map_clips({"$cond": [_is_clip(clip_id), pin, _without_pin()]}))}


def unpin_clip(clip_id: str) -> dict[str, Expression]:
    return {"_s3_videos": rank_clips_expression(_map_clips({"$cond": [_is_clip(clip_id), _without_pin(), "$$clip"]}))}


def drop_clip(clip_id: str, key: str) -> dict[str, Expression]:
    """Remove a clip from the goal if it still has this file: a better copy may have replaced it meanwhile."""
    same = {"$and": [_is_clip(clip_id), {"$eq": ["$$clip._s3_key", literal(key)]}]}
    return {
        "_s3_videos": rank_clips_expression(
            {"$filter": {"input": _clips_or_empty(), "as": "clip", "cond": {"$not": [same]}}}
        )
    }


def block_clip(clip_id: str, key: str, block_rows: Sequence[Mapping[str, Any]]) -> dict[str, Expression]:
    """Remove the clip if it still has this file, and add its block rows, in one operation."""
    known = literal([md5 for row in block_rows for md5 in row["md5s"]])
    said = {"$and": [_is_clip(clip_id), {"$setIsSubset": ["$$clip.md5s", known]}]}
    others = {"$filter": {"input": _moderation_rows("refused"), "as": "clip", "cond": {"$not": [said]}}}
    rows = {"$concatArrays": [others, literal([dict(row) for row in block_rows])]}
    return {**drop_clip(clip_id, key), **_set_moderation_rows("refused", rows)}


def keep_clips_apart(row: Mapping[str, Any]) -> dict[str, Expression]:
    """`row["clips"]` names the pair; repeating the action changes nothing."""
    rows = {"$concatArrays": [_other_pairs(row["clips"]), [literal(dict(row))]]}
    return _set_moderation_rows("apart", rows)


def allow_merging(clip_ids: Sequence[str]) -> dict[str, Expression]:
    """Remove the row that keeps a pair of clips apart."""
    return _set_moderation_rows("apart", _other_pairs(clip_ids))


def lift_blocks(md5s: Sequence[str]) -> dict[str, Expression]:
    """Lift the blocks of any of these files; the rows stay, so that an old address still answers "gone"."""
    shared = {"$setIntersection": [{"$ifNull": ["$$clip.md5s", []]}, literal(list(md5s))]}
    freed = {"$mergeObjects": ["$$clip", {"lifted": True}]}
    choice = {"$cond": [{"$gt": [{"$size": shared}, 0]}, freed, "$$clip"]}
    return _set_moderation_rows("refused", _map_array(_moderation_rows("refused"), "clip", choice))


def recount_clips() -> dict[str, Expression]:
    """Set popularity from the sources and ranks from the order, as the archive writes them."""
    size = {"$size": {"$ifNull": ["$$clip._sources", []]}}
    return {"_s3_videos": rank_clips_expression(_map_clips({"$mergeObjects": ["$$clip", {"popularity": size}]}))}


def set_clip_field(clip_id: str, field: str, value: Any) -> dict[str, Expression]:
    changed = {"$mergeObjects": ["$$clip", {field: literal(value)}]}
    return {"_s3_videos": _map_clips({"$cond": [_is_clip(clip_id), changed, "$$clip"]})}


def literal(value: Any) -> Expression:
    """Values from outside are never evaluated as expressions."""
    return {"$literal": value}


def _is_clip(clip_id: str) -> Expression:
    return {"$eq": ["$$clip.clip_id", literal(clip_id)]}


def _without_pin() -> Expression:
    return {"$unsetField": {"field": PINNED_FIELD, "input": "$$clip"}}


def _map_clips(change: Expression) -> Expression:
    return _map_array(_clips_or_empty(), "clip", change)


def _clips_or_empty() -> Expression:
    return {"$ifNull": ["$$event._s3_videos", []]}


def _other_pairs(clip_ids: Sequence[str]) -> Expression:
    differs = {"$ne": ["$$said.clips", literal(list(clip_ids))]}
    return {"$filter": {"input": _moderation_rows("apart"), "as": "said", "cond": differs}}


def _moderation_rows(name: str) -> Expression:
    return {"$ifNull": [f"$$event.{MODERATION_FIELD}.{name}", []]}


def _set_moderation_rows(name: str, rows: Expression) -> dict[str, Expression]:
    return {MODERATION_FIELD: {"$mergeObjects": [{"$ifNull": [f"$$event.{MODERATION_FIELD}", {}]}, {name: rows}]}}


def _map_array(rows: Any, name: str, each: Expression) -> Expression:
    return {"$map": {"input": rows, "as": name, "in": each}}
