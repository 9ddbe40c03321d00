"""People's decisions, carried out: first the line that says what is about to be done, then the deed, then "done".

Every deed can be repeated. One that a crash cut short is finished by doing it again, by hand or by the nightly sweep.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from found_footy.archive import judgement_expressions as updates
from found_footy.archive.audit import AuditLog, Deed, Line
from found_footy.archive.judgement import PINNED, Scope, judgements_of
from found_footy.archive.judgement_objects import ClipObjects, File, files_of, kept_print_key, keys_of
from found_footy.archive.judgement_prints import Lookalikes
from found_footy.archive.judgement_store import Held, JudgementStore
from found_footy.archive.judgement_whereabouts import Whereabouts, clip_named
from found_footy.archive.records import clip_id as made_id
from found_footy.platform.errors import BadInput
from found_footy.platform.mongo import Document
from found_footy.platform.objects import ObjectStore

_MD5 = re.compile(r"[0-9a-f]{32}")
_TURNS = 5
_SCOPES = {Deed.WRONG_GOAL: Scope.WRONG_GOAL, Deed.TAKE_DOWN: Scope.TAKEN_DOWN}


@dataclass(frozen=True)
class Word:
    """Who speaks, why, and the id under which the line is written."""

    by: str
    id: str
    reason: str = ""


@dataclass(frozen=True)
class Told:
    """What came of a decision, for people. `changed` is false if it was so already."""

    deed: Deed
    clips: tuple[str, ...]
    changed: bool
    words: tuple[str, ...]


def bytes_of(clip: Document) -> list[str]:
    """The MD5s of all files that a clip is or was found as."""
    digests = (str(source).removeprefix("md5:") for source in clip.get("_sources") or ())
    found = (digest for digest in digests if _MD5.fullmatch(digest))
    return sorted({clip["md5"], *(clip.get("_md5s") or ()), *(file.md5 for file in files_of(clip)), *found})


class Keeper:
    def __init__(self, store: JudgementStore, log: AuditLog, objects: ObjectStore, now: Callable[[], datetime]) -> None:
        self._store = store
        self._whereabouts = Whereabouts(store)
        self._log = log
        self._objects = ClipObjects(objects)
        self._lookalikes = Lookalikes(objects)
        self._now = now

    async def pin(self, name: str, word: Word) -> Told:
        """Make a clip the best of its goal, whatever its figures say."""
        held, words = await self._present(name)
        if held is None or held.clip.get(PINNED):
            return Told(Deed.PIN, (name,), False, (*words, *(["It is pinned already."] if held else [])))
        others = [clip["clip_id"] for clip in held.event["_s3_videos"] if clip.get(PINNED)]
        await self._do(self._line(Deed.PIN, held, word, {"pinned": others}))
        instead = f" instead of {', '.join(others)}" if others else ""
        return Told(Deed.PIN, (held.clip_id,), True, (*words, f"Pinned: it is the best of its goal{instead}."))

    async def unpin(self, name: str, word: Word) -> Told:
        held, words = await self._present(name)
        if held is None or not held.clip.get(PINNED):
            return Told(Deed.UNPIN, (name,), False, (*words, *(["It is not pinned."] if held else [])))
        await self._do(self._line(Deed.UNPIN, held, word, {"pinned": [held.clip_id]}))
        return Told(Deed.UNPIN, (held.clip_id,), True, (*words, "Unpinned: its figures decide again."))

    async def wrong_goal(self, name: str, word: Word) -> Told:
        """Take a clip off its goal, and know it when it comes back there."""
        held, words = await self._present(name)
        if held is None:
            return Told(Deed.WRONG_GOAL, (name,), False, words)
        await self._remove(Deed.WRONG_GOAL, held, word)
        said = f"Removed from {held.event_id}; it will not come back there."
        return Told(Deed.WRONG_GOAL, (held.clip_id,), True, (*words, said))

    async def take_down(self, name: str, word: Word) -> Told:
        """Remove a clip and every copy of it, everywhere, and let none come back."""
        held, words = await self._present(name)
        held = held or await self._whereabouts.taken_off(clip_named(name))
        if held is None:
            return Told(Deed.TAKE_DOWN, (name,), False, words)
        copies = await self._remove(Deed.TAKE_DOWN, held, word)
        words += (f"Taken down: its address answers 410 (gone) and it is blocked as {held.clip['md5']}.",)
        words += tuple(f"Taken down too, the same content: {copy.clip_id} of {copy.event_id}." for copy in copies)
        return Told(Deed.TAKE_DOWN, (held.clip_id, *(copy.clip_id for copy in copies)), True, words)

    async def apart(self, first: str, second: str, word: Word) -> Told:
        """Two clips are two, whatever the comparison says."""
        ids = tuple(sorted({clip_named(first), clip_named(second)}))
        if len(ids) == 1:
            raise BadInput(f"{ids[0]} is one clip; name the two that are not the same")
        sides = [await self._whereabouts.of(clip_id) for clip_id in ids]
        here = [held for held in sides if held is not None]
        if len(here) < len(ids):
            return Told(Deed.APART, ids, False, ("One of them is gone, so they cannot become one.",))
        if len({held.event_id for held in here}) > 1:
            return Told(Deed.APART, ids, False, ("They belong to different goals, and are never made one.",))
        lost = [clip_id for clip_id, held in zip(ids, sides, strict=True) if held and held.clip_id != clip_id]
        row = {"clips": list(ids), "one": _names(ids[0], sides[0]), "other": _names(ids[1], sides[1])}
        await self._do(replace(self._line(Deed.APART, here[0], word, {"row": row}), clips=ids))
        gone = (
            f"The file of {clip_id} is gone: it was taken for a copy. It is kept as a clip of its own when it is found "
            "again; until then its address plays the other one." for clip_id in lost
        )  # fmt: skip
        return Told(Deed.APART, ids, True, ("They are two clips from now on.", *gone))

    async def unblock(self, name: str, word: Word) -> Told:
        """Let a clip that was sent away come back when it is found again. Its old file does not return."""
        md5s, clip_id = await self._whereabouts.blocked(clip_named(name))
        if not md5s:
            return Told(Deed.UNBLOCK, (clip_id,), False, ("It is not blocked.",))
        line = Line(word.id, self._now(), word.by, Deed.UNBLOCK, (clip_id,), reason=word.reason, before={"md5s": md5s})
        await self._do(line)
        return Told(Deed.UNBLOCK, (clip_id,), True, ("Unblocked: it is kept again when it is found again.",))

    async def resume(self, line: Line) -> None:
        """Finish a deed that was begun, unless it was decided anew since then."""
        overtaken = await self._log.is_overtaken(line)
        if not overtaken:
            await self._carry_out(line)
        await self._log.done(line, self._now(), resumed=not overtaken)
        if line.deed in _SCOPES and not overtaken and (held := await self._store.holding(line.clips[0])) is not None:
            await self._remove(line.deed, held, Word(line.by, f"{line.id}-again", line.reason))

    async def enforce(self, held: Held, word: Word, scope: Scope | None = None) -> None:
        """Send away a clip that slipped in beside a decision about it, as far as that decision reached. Without a
        scope, the decision is the one about its bytes.
        """
        refusal = judgements_of(held.event, await self._store.blocked()).refusal_of(held.clip["md5"])
        reach = refusal.scope if refusal else scope
        if reach is not None:
            deed = Deed.TAKE_DOWN if reach is Scope.TAKEN_DOWN else Deed.WRONG_GOAL
            await self._do(self._line(deed, held, word, {"clip": held.clip}))

    async def _do(self, line: Line) -> list[Held]:
        intended = await self._log.intend(line)
        copies = await self._carry_out(intended)
        await self._log.done(intended, self._now())
        return copies

    async def _remove(self, deed: Deed, held: Held, word: Word) -> list[Held]:
        """Until it is gone: a better copy may take the place of the file while we speak."""
        copies: list[Held] = []
        found: Held | None = held
        for turn in range(_TURNS):
            if found is not None:
                again = replace(word, id=f"{word.id}-{turn}" if turn else word.id)
                before = {"clip": found.clip, "everywhere": deed is Deed.TAKE_DOWN}
                copies += await self._do(self._line(deed, found, again, before))
                found = await self._store.holding(held.clip_id)
        return [copy for copy in copies if copy.clip_id != held.clip_id]

    async def _carry_out(self, line: Line) -> list[Held]:
        """The deed. Returns the other clips that went with it."""
        if line.deed in _SCOPES:
            await self._send_away(line, _SCOPES[line.deed])
            return await self._send_copies(line) if line.before.get("everywhere") else []
        if line.deed is Deed.UNBLOCK:
            await self._lift(line.before["md5s"])
        elif line.deed is Deed.APART:
            await self._change(line, updates.kept_apart({**line.before["row"], "at": line.at}))
        elif line.deed in (Deed.PIN, Deed.UNPIN):
            change = updates.pinned if line.deed is Deed.PIN else updates.unpinned
            await self._change(line, change(line.clips[0]))
        return []

    async def _send_copies(self, line: Line) -> list[Held]:
        copies = await self._copies(line)
        reason = f"same content as {line.clips[0]}: {line.reason}"
        for copy in copies:
            word = Word(line.by, f"{line.id}-{copy.clip_id}", reason)
            await self._do(self._line(line.deed, copy, word, {"clip": copy.clip}))
        return copies

    async def _send_away(self, line: Line, scope: Scope) -> None:
        """The fingerprints are safe before the record goes, and the record goes before the objects."""
        clip = line.before["clip"]
        rows = [await self._remembered(line, scope, file) for file in files_of(clip)]
        rows[0]["md5s"] = bytes_of(clip)
        if scope is Scope.TAKEN_DOWN:
            of = {"fixture_id": line.fixture_id, "event_id": line.event_id, "reason": line.reason, "by": line.by}
            for file, row in zip(files_of(clip), rows, strict=True):
                await self._store.block({"_id": file.md5, **row, **of})
        await self._change(line, updates.refusing(clip["clip_id"], clip["_s3_key"], rows))
        goals = await self._store.goals(fixture_id=line.fixture_id)
        in_use = {key for _, event in goals for other in event.get("_s3_videos") or () for key in keys_of(other)}
        await self._objects.delete(clip, line.event_id, bytes_of(clip), in_use)

    async def _remembered(self, line: Line, scope: Scope, file: File) -> Document:
        kept = kept_print_key(scope, line.fixture_id or 0, line.event_id, file.md5)
        return {
            "clip_id": line.clips[0], "md5": file.md5, "md5s": [file.md5], "scope": scope.value, "at": line.at,
            "hash_version": file.hash_version, "print_key": await self._objects.keep_print(file, kept),
        }  # fmt: skip

    async def _lift(self, md5s: list[str]) -> None:
        await self._store.unblock(md5s)
        for fixture_id, event_id in await self._store.goals_refusing(md5s):
            await self._store.change(fixture_id, event_id, updates.lifted(md5s))

    async def _change(self, line: Line, fields: dict[str, Any]) -> None:
        """A goal that has gone meanwhile, with its fixture, needs no change any more."""
        await self._store.change(line.fixture_id or 0, line.event_id, fields)

    async def _copies(self, line: Line) -> list[Held]:
        clip = line.before["clip"]
        same = await self._store.same_bytes(bytes_of(clip))
        kept = [kept_print_key(Scope.TAKEN_DOWN, 0, "", file.md5) for file in files_of(clip)]
        alike = await self._lookalikes.of(kept, self._store.with_clips())
        return list({held.clip_id: held for held in (*same, *alike)}.values())

    def _line(self, deed: Deed, held: Held, word: Word, before: Document) -> Line:
        place = (held.fixture_id, held.event_id)
        return Line(word.id, self._now(), word.by, deed, (held.clip_id,), *place, word.reason, before)

    async def _present(self, name: str) -> tuple[Held | None, tuple[str, ...]]:
        """The clip, and what to say about its whereabouts; None if it was sent away. NotFound if nobody knows it."""
        clip_id = clip_named(name)
        begun = await self._log.unfinished(clip_id=clip_id)
        for line in begun:
            await self.resume(line)
        held = await self._whereabouts.of(clip_id)
        if held is None:
            finished = f"{begun[-1].deed} had been cut short; it is finished now." if begun else "It is gone already."
            return None, (finished,)
        moved = () if held.clip_id == clip_id else (f"{clip_id} is {held.clip_id} now.",)
        return held, moved


def _names(clip_id: str, held: Held | None) -> list[str]:
    """What a clip answers to: its id, and its file. That of a clip that lost its record is found among the files that
    the other one was found as.
    """
    if held is None:
        return [clip_id]
    if held.clip_id == clip_id:
        return [clip_id, held.clip["md5"]]
    goals = [held.event_id, held.event.get("_matched_from") or ""]
    return [clip_id, *(f.md5 for f in files_of(held.clip) if clip_id in (made_id(goal, f.md5) for goal in goals))]
