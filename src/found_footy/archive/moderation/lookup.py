"""Finds the clip that a person names: with a goal, redirected, blocked, or unknown."""

import difflib
import re
from collections.abc import Iterable

from found_footy.archive.moderation.model import BlockScope
from found_footy.archive.moderation.store import LocatedClip, ModerationStore
from found_footy.platform.errors import NotFound
from found_footy.platform.mongo import Document

_CLIP_URL = re.compile(r"(?:.*/)?clips/(?P<clip>[A-Za-z0-9_-]{1,128})\.mp4(?:[?#].*)?")


def parse_clip_reference(text: str) -> str:
    """The clip id in an id or in the URL of a clip."""
    found = _CLIP_URL.fullmatch(text.strip())
    return found["clip"] if found else text.strip()


class ClipLookup:
    def __init__(self, store: ModerationStore) -> None:
        self._store = store

    async def find_clip(self, clip_id: str) -> LocatedClip | None:
        """The clip, or the one it was merged into; None if it was blocked. Raises NotFound if it is unknown."""
        if (located := await self._store.find_clip(clip_id)) is not None:
            return located
        block_rows = await self._find_block_rows(clip_id)
        # It may once have been merged with another clip, kept apart from it later, and blocked since.
        if any(row["clip_id"] == clip_id and not row.get("lifted") for row in block_rows):
            return None
        if (successor := await self._store.resolve_redirect(clip_id)) != clip_id:
            located = await self._store.find_clip(successor)
        if located is None and not block_rows:
            raise _unknown_clip_error(clip_id, await self._store.list_clip_ids())
        return located

    async def find_removed_from_goal(self, clip_id: str) -> LocatedClip | None:
        """A clip that was only marked as the wrong goal, rebuilt from its block rows: it has no file any more."""
        rows = [
            row for row in await self._store.find_block_rows(clip_id) if row["scope"] == BlockScope.WRONG_GOAL.value
        ]
        if not rows or rows[0].get("lifted"):
            return None
        first, *others = ({**row, "fingerprint_key": row["print_key"]} for row in rows)
        clip = {**first, "_s3_key": "", "_md5s": first["md5s"], "_members": others}
        return LocatedClip(first["fixture_id"], {"_event_id": first["event_id"]}, clip)

    async def find_blocked_md5s(self, name: str) -> tuple[list[str], str]:
        """The MD5s that a name stands for, empty if it is not blocked, and the clip id."""
        rows = await self._find_block_rows(name)
        if not rows and await self._store.find_clip(name) is None:
            blocked = await self._store.list_blocked()
            raise _unknown_clip_error(name, [text for row in blocked for text in (row["clip_id"], row["_id"])])
        md5s = {md5 for row in rows if not row.get("lifted") for md5 in row["md5s"]}
        return sorted(md5s), rows[0]["clip_id"] if rows else name

    async def _find_block_rows(self, name: str) -> list[Document]:
        """The block rows of a clip, by its id or by the MD5 of one of its files."""
        blocked = await self._store.list_blocked(include_lifted=True)
        clips = {row["clip_id"] for row in blocked if name in (row["clip_id"], *row["md5s"])} | {name}
        rows = [row for row in blocked if row["clip_id"] in clips]
        return rows + [row for clip_id in sorted(clips) for row in await self._store.find_block_rows(clip_id)]


def _unknown_clip_error(name: str, known_names: Iterable[str]) -> NotFound:
    near = difflib.get_close_matches(name, list(known_names), n=1, cutoff=0.5)
    return NotFound(f"there is no clip {name}" + (f"; did you mean {near[0]}?" if near else ""))
