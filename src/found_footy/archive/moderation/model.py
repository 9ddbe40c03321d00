"""What people have decided about clips, as the archive's decisions take it.

People's word is kept where it acts, on the goal, so that deciding and obeying are one operation:

    events[]._s3_videos[].pinned     true on the clip that was pinned; the field is absent on all others
    events[]._judgements.apart       [{one: [names], other: [names], at}]     a name is a clip id or the MD5 of a file
    events[]._judgements.refused     [{clip_id, md5, md5s, scope, print_key, hash_version, at, lifted?}]
    blocklist                        the same rows by MD5, with reason and by

`JudgementStore.of(goal)` in judgement_store.py reads all of it; `RefusedPrints.among(…)` in judgement_prints.py says
which new clips look like one that was sent away. Whoever writes clips to a goal does so on condition that both fields
are as they were read: a person may have spoken in between.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Any

MODERATION_FIELD = "_judgements"
PINNED_FIELD = "pinned"
BLOCKLIST = "blocklist"


class BlockScope(StrEnum):
    """How far a refusal reaches: one goal, or everything."""

    WRONG_GOAL = "wrong_goal"
    TAKEN_DOWN = "taken_down"


@dataclass(frozen=True)
class ContentBlock:
    """A clip that was sent away, and how to know it when it comes back: by its bytes, or by its fingerprint, which is
    the object `fingerprint_key` unless that is empty.
    """

    md5s: tuple[str, ...]
    scope: BlockScope
    fingerprint_key: str = ""
    hash_version: str = ""


@dataclass(frozen=True)
class GoalModeration:
    """People's word on one goal. `pinned` are clip ids; `kept_apart` are pairs of names of clips that are not one
    clip.
    """

    pinned: frozenset[str] = frozenset()
    kept_apart: frozenset[frozenset[str]] = frozenset()
    blocks: tuple[ContentBlock, ...] = ()

    @property
    def fingerprint_keys(self) -> frozenset[str]:
        """The fingerprints by which a clip that was sent away is known when it comes back."""
        return frozenset(one.fingerprint_key for one in self.blocks if one.fingerprint_key)

    def are_kept_apart(self, one: Iterable[str], other: Iterable[str]) -> bool:
        """Whether two clips, each given by all its names (clip id and MD5), must not become one."""
        return any(frozenset(pair) in self.kept_apart for pair in product(one, list(other)))

    def find_block(self, md5: str) -> ContentBlock | None:
        """Why a file with these bytes must not be published here. One taken down goes before one of the wrong goal."""
        found = [block for block in self.blocks if md5 in block.md5s]
        return min(found, key=lambda refusal: refusal.scope is not BlockScope.TAKEN_DOWN, default=None)


def parse_moderation(event: Mapping[str, Any], blocklist: Iterable[Mapping[str, Any]] = ()) -> GoalModeration:
    """What a goal's document says, with the entries of the blocklist. What was lifted counts no longer."""
    said = event.get(MODERATION_FIELD) or {}
    clips = event.get("_s3_videos") or ()
    blocked_here = (
        _parse_block(row, BlockScope(row["scope"])) for row in said.get("refused") or () if not row.get("lifted")
    )
    blocked = (_parse_block(row, BlockScope.TAKEN_DOWN) for row in blocklist if not row.get("lifted"))
    return GoalModeration(
        pinned=frozenset(clip["clip_id"] for clip in clips if clip.get(PINNED_FIELD)),
        kept_apart=frozenset(pair for row in said.get("apart") or () for pair in _list_kept_apart_pairs(row)),
        blocks=tuple(dict.fromkeys((*blocked_here, *blocked))),
    )


def _parse_block(row: Mapping[str, Any], scope: BlockScope) -> ContentBlock:
    return ContentBlock(tuple(row["md5s"]), scope, row.get("print_key") or "", row.get("hash_version") or "")


def _list_kept_apart_pairs(row: Mapping[str, Any]) -> Iterable[frozenset[str]]:
    return (frozenset(pair) for pair in product(row["one"], row["other"]))
