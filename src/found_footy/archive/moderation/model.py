"""Moderation decisions on clips, as input of the archive's decisions.

They are stored on the goal they apply to, so that checking and applying them are one operation:

    events[]._s3_videos[].pinned     true on the clip that was pinned; the field is absent on all others
    events[]._judgements.apart       [{one: [names], other: [names], at}]     a name is a clip id or a file's MD5
    events[]._judgements.refused     [{clip_id, md5, md5s, scope, print_key, hash_version, at, lifted?}]
    blocklist                        the same rows by MD5, with reason and by

`ModerationStore.load_moderation` reads all of it; `BlockedFingerprints.find_matches` finds the new clips that match
a blocked one. Writes of a goal's clips require that both fields are unchanged since they were read: a person may
have decided something in between.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Any, cast

from found_footy.domain.documents import BlockDocument, GoalDocument, KeptApartDocument, ModerationDocument
from found_footy.domain.ranking import PINNED_FIELD

MODERATION_FIELD = "_judgements"
BLOCKLIST = "blocklist"


class BlockScope(StrEnum):
    """Where a block applies: to one goal, or everywhere."""

    WRONG_GOAL = "wrong_goal"
    TAKEN_DOWN = "taken_down"


@dataclass(frozen=True)
class ContentBlock:
    """A blocked clip, and how it is recognized: by MD5, or by its fingerprint, the object `fingerprint_key` unless that
    is empty.
    """

    md5s: tuple[str, ...]
    scope: BlockScope
    fingerprint_key: str = ""
    hash_version: str = ""


@dataclass(frozen=True)
class GoalModeration:
    """The moderation of one goal. `pinned` are clip ids; `kept_apart` are pairs of names of clips that must not be
    merged.
    """

    pinned: frozenset[str] = frozenset()
    kept_apart: frozenset[frozenset[str]] = frozenset()
    blocks: tuple[ContentBlock, ...] = ()

    @property
    def fingerprint_keys(self) -> frozenset[str]:
        """The fingerprints by which blocked clips are recognized."""
        return frozenset(one.fingerprint_key for one in self.blocks if one.fingerprint_key)

    def are_kept_apart(self, one: Iterable[str], other: Iterable[str]) -> bool:
        """Whether two clips, each given by all its names (clip id and MD5), must not be merged."""
        return any(frozenset(pair) in self.kept_apart for pair in product(one, list(other)))

    def find_block(self, md5: str) -> ContentBlock | None:
        """The block that forbids publishing a file with this MD5 here. A takedown takes precedence over a wrong
        goal.
        """
        found = [block for block in self.blocks if md5 in block.md5s]
        return min(found, key=lambda block: block.scope is not BlockScope.TAKEN_DOWN, default=None)


def parse_moderation(stored: Mapping[str, Any], blocklist: Iterable[Mapping[str, Any]] = ()) -> GoalModeration:
    """Parse the moderation of a goal's document, with the entries of the blocklist. Lifted blocks are ignored."""
    event = cast(GoalDocument, stored)
    said: ModerationDocument = event.get("_judgements") or {}
    clips = event.get("_s3_videos") or ()
    blocked_here = (
        _parse_block(row, BlockScope(row["scope"])) for row in said.get("refused") or () if not row.get("lifted")
    )
    blocked = (
        _parse_block(cast(BlockDocument, row), BlockScope.TAKEN_DOWN) for row in blocklist if not row.get("lifted")
    )
    return GoalModeration(
        pinned=frozenset(clip["clip_id"] for clip in clips if clip.get(PINNED_FIELD)),
        kept_apart=frozenset(pair for row in said.get("apart") or () for pair in _list_kept_apart_pairs(row)),
        blocks=tuple(dict.fromkeys((*blocked_here, *blocked))),
    )


def _parse_block(row: BlockDocument, scope: BlockScope) -> ContentBlock:
    return ContentBlock(tuple(row["md5s"]), scope, row.get("print_key") or "", row.get("hash_version") or "")


def _list_kept_apart_pairs(row: KeptApartDocument) -> Iterable[frozenset[str]]:
    return (frozenset(pair) for pair in product(row["one"], row["other"]))
