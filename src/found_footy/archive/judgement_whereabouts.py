"""Where a clip is that a person names: with a goal, under another name, sent away, or nowhere."""

import difflib
import re
from collections.abc import Iterable

from found_footy.archive.judgement import Scope
from found_footy.archive.judgement_store import Held, JudgementStore
from found_footy.platform.errors import NotFound
from found_footy.platform.mongo import Document

_ADDRESS = re.compile(r"(?:.*/)?clips/(?P<clip>[A-Za-z0-9_-]{1,128})\.mp4(?:[?#].*)?")


def clip_named(text: str) -> str:
    """The clip that a person means by an id, or by the address it is watched at."""
    found = _ADDRESS.fullmatch(text.strip())
    return found["clip"] if found else text.strip()


class Whereabouts:
    def __init__(self, store: JudgementStore) -> None:
        self._store = store

    async def of(self, clip_id: str) -> Held | None:
        """The clip, or the one that took its place; None if it was sent away. NotFound if nobody knows it."""
        if (held := await self._store.holding(clip_id)) is not None:
            return held
        memories = await self._memories(clip_id)
        # It may once have become one with another clip, have been kept apart from it, and have been sent away since.
        if any(row["clip_id"] == clip_id and not row.get("lifted") for row in memories):
            return None
        if (successor := await self._store.successor(clip_id)) != clip_id:
            held = await self._store.holding(successor)
        if held is None and not memories:
            raise _unknown(clip_id, await self._store.clip_ids())
        return held

    async def taken_off(self, clip_id: str) -> Held | None:
        """A clip that was only taken off its goal, as far as it is remembered: it has no file any more."""
        rows = [row for row in await self._store.sent_away(clip_id) if row["scope"] == Scope.WRONG_GOAL.value]
        if not rows or rows[0].get("lifted"):
            return None
        first, *others = ({**row, "fingerprint_key": row["print_key"]} for row in rows)
        clip = {**first, "_s3_key": "", "_md5s": first["md5s"], "_members": others}
        return Held(first["fixture_id"], {"_event_id": first["event_id"]}, clip)

    async def blocked(self, name: str) -> tuple[list[str], str]:
        """The files that a name stands for, none if it is not blocked, and the clip."""
        rows = await self._memories(name)
        if not rows and await self._store.holding(name) is None:
            blocked = await self._store.blocked()
            raise _unknown(name, [text for row in blocked for text in (row["clip_id"], row["_id"])])
        md5s = {md5 for row in rows if not row.get("lifted") for md5 in row["md5s"]}
        return sorted(md5s), rows[0]["clip_id"] if rows else name

    async def _memories(self, name: str) -> list[Document]:
        """What is remembered of a clip that was sent away, by its id or by the MD5 of one of its files."""
        blocked = await self._store.blocked(lifted=True)
        clips = {row["clip_id"] for row in blocked if name in (row["clip_id"], *row["md5s"])} | {name}
        rows = [row for row in blocked if row["clip_id"] in clips]
        return rows + [row for clip_id in sorted(clips) for row in await self._store.sent_away(clip_id)]


def _unknown(name: str, names: Iterable[str]) -> NotFound:
    near = difflib.get_close_matches(name, list(names), n=1, cutoff=0.5)
    return NotFound(f"there is no clip {name}" + (f"; did you mean {near[0]}?" if near else ""))
