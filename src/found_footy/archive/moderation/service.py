"""Carries out moderation actions: first the audit entry with the intent, then the action, then "done".

Every action is idempotent. One that a crash interrupted is completed by repeating it, by hand or by the nightly sweep.
"""

from dataclasses import dataclass, replace
from typing import Any

from found_footy.archive.dedup.records import make_clip_id as made_id
from found_footy.archive.moderation import mongo_updates as updates
from found_footy.archive.moderation.audit_log import AuditAction, AuditEntry, AuditLog
from found_footy.archive.moderation.fingerprints import LookalikeFinder
from found_footy.archive.moderation.lookup import ClipLookup, parse_clip_reference
from found_footy.archive.moderation.model import MODERATION_FIELD, BlockScope, parse_moderation
from found_footy.archive.moderation.objects import (
    ClipObjectStore,
    FingerprintedFile,
    blocked_fingerprint_key,
    list_files,
)
from found_footy.archive.moderation.store import LocatedClip, ModerationStore
from found_footy.domain.clip_files import list_object_keys
from found_footy.domain.ranking import PINNED_FIELD
from found_footy.platform.clock import Clock
from found_footy.platform.errors import BadInput
from found_footy.platform.mongo import Document
from found_footy.platform.object_info import MD5_PATTERN
from found_footy.platform.objects import ObjectStore

_MAX_REMOVAL_ROUNDS = 5
_SCOPE_BY_ACTION = {AuditAction.WRONG_GOAL: BlockScope.WRONG_GOAL, AuditAction.TAKE_DOWN: BlockScope.TAKEN_DOWN}


@dataclass(frozen=True)
class ModerationRequest:
    """Who requests the action, why, and the id of the audit entry."""

    actor: str
    entry_id: str
    reason: str = ""


@dataclass(frozen=True)
class ModerationResult:
    """The result of an action, for display. `changed` is False if nothing had to be done."""

    action: AuditAction
    clips: tuple[str, ...]
    changed: bool
    words: tuple[str, ...]


def collect_md5s(clip: Document) -> list[str]:
    """The MD5s of all copies of a clip."""
    digests = (str(source).removeprefix("md5:") for source in clip.get("_sources") or ())
    found = (digest for digest in digests if MD5_PATTERN.fullmatch(digest))
    return sorted({clip["md5"], *(clip.get("_md5s") or ()), *(file.md5 for file in list_files(clip)), *found})


class ModerationService:
    def __init__(self, store: ModerationStore, audit_log: AuditLog, objects: ObjectStore, now: Clock) -> None:
        self._store = store
        self._lookup = ClipLookup(store)
        self._audit_log = audit_log
        self._objects = ClipObjectStore(objects)
        self._lookalike_finder = LookalikeFinder(objects)
        self._now = now

    async def pin(self, name: str, request: ModerationRequest) -> ModerationResult:
        """Make a clip the best of its goal, whatever its ranking."""
        located, words = await self._find_present_clip(name)
        if located is None or located.clip.get(PINNED_FIELD):
            return ModerationResult(
                AuditAction.PIN, (name,), False, (*words, *(["It is pinned already."] if located else []))
            )
        others = [clip["clip_id"] for clip in located.event["_s3_videos"] if clip.get(PINNED_FIELD)]
        await self._execute(self._build_entry(AuditAction.PIN, located, request, {"pinned": others}))
        instead = f" instead of {', '.join(others)}" if others else ""
        return ModerationResult(
            AuditAction.PIN, (located.clip_id,), True, (*words, f"Pinned: it is the best of its goal{instead}.")
        )

    async def unpin(self, name: str, request: ModerationRequest) -> ModerationResult:
        located, words = await self._find_present_clip(name)
        if located is None or not located.clip.get(PINNED_FIELD):
            return ModerationResult(
                AuditAction.UNPIN, (name,), False, (*words, *(["It is not pinned."] if located else []))
            )
        await self._execute(self._build_entry(AuditAction.UNPIN, located, request, {"pinned": [located.clip_id]}))
        return ModerationResult(
            AuditAction.UNPIN, (located.clip_id,), True, (*words, "Unpinned: the ranking decides again.")
        )

    async def mark_wrong_goal(self, name: str, request: ModerationRequest) -> ModerationResult:
        """Remove a clip from its goal, and block it there."""
        located, words = await self._find_present_clip(name)
        if located is None:
            return ModerationResult(AuditAction.WRONG_GOAL, (name,), False, words)
        await self._remove_clip(AuditAction.WRONG_GOAL, located, request)
        said = f"Removed from {located.event_id}; it is not stored there again."
        return ModerationResult(AuditAction.WRONG_GOAL, (located.clip_id,), True, (*words, said))

    async def take_down(self, name: str, request: ModerationRequest) -> ModerationResult:
        """Remove a clip and every copy of it everywhere, and block its content."""
        located, words = await self._find_present_clip(name)
        located = located or await self._lookup.find_removed_from_goal(parse_clip_reference(name))
        if located is None:
            return ModerationResult(AuditAction.TAKE_DOWN, (name,), False, words)
        copies = await self._remove_clip(AuditAction.TAKE_DOWN, located, request)
        words += (f"Taken down: its address answers 410 (gone) and it is blocked as {located.clip['md5']}.",)
        words += tuple(f"Taken down too, the same content: {copy.clip_id} of {copy.event_id}." for copy in copies)
        return ModerationResult(
            AuditAction.TAKE_DOWN, (located.clip_id, *(copy.clip_id for copy in copies)), True, words
        )

    async def keep_apart(self, first: str, second: str, request: ModerationRequest) -> ModerationResult:
        """Forbid merging two clips, whatever the comparison says."""
        ids = tuple(sorted({parse_clip_reference(first), parse_clip_reference(second)}))
        if len(ids) == 1:
            raise BadInput(f"{ids[0]} is one clip; name the two that are not the same")
        sides = [await self._lookup.find_clip(clip_id) for clip_id in ids]
        here = [located for located in sides if located is not None]
        if len(here) < len(ids):
            return ModerationResult(
                AuditAction.KEEP_APART, ids, False, ("One of them is no longer stored, so they cannot be merged.",)
            )
        if len({located.event_id for located in here}) > 1:
            return ModerationResult(
                AuditAction.KEEP_APART, ids, False, ("They belong to different goals and are never merged.",)
            )
        lost = [clip_id for clip_id, located in zip(ids, sides, strict=True) if located and located.clip_id != clip_id]
        row = {
            "clips": list(ids),
            "one": _list_clip_names(ids[0], sides[0]),
            "other": _list_clip_names(ids[1], sides[1]),
        }
        await self._execute(
            replace(self._build_entry(AuditAction.KEEP_APART, here[0], request, {"row": row}), targets=ids)
        )
        gone = (
            f"The file of {clip_id} is deleted: the clip was merged as a copy. It is stored as a separate clip "
            "when it is found again; until then its address plays the other clip."
            for clip_id in lost
        )
        return ModerationResult(AuditAction.KEEP_APART, ids, True, ("They are never merged from now on.", *gone))

    async def allow_merging(self, first: str, second: str, request: ModerationRequest) -> ModerationResult:
        """Let the comparison decide again whether two clips that were kept apart are the same."""
        ids = tuple(sorted({parse_clip_reference(first), parse_clip_reference(second)}))
        located = await self._store.find_clip(ids[0]) or await self._store.find_clip(ids[-1])
        pairs = (located.event.get(MODERATION_FIELD) or {}).get("apart") or () if located else ()
        if located is None or not any(tuple(row.get("clips") or ()) == ids for row in pairs):
            return ModerationResult(AuditAction.MERGE_AGAIN, ids, False, ("They are not kept apart.",))
        await self._execute(replace(self._build_entry(AuditAction.MERGE_AGAIN, located, request, {}), targets=ids))
        return ModerationResult(AuditAction.MERGE_AGAIN, ids, True, ("The comparison decides about them again.",))

    async def unblock(self, name: str, request: ModerationRequest) -> ModerationResult:
        """Allow a blocked clip to be stored when it is found again. Its old file is not restored."""
        md5s, clip_id = await self._lookup.find_blocked_md5s(parse_clip_reference(name))
        if not md5s:
            return ModerationResult(AuditAction.UNBLOCK, (clip_id,), False, ("It is not blocked.",))
        entry = AuditEntry(
            request.entry_id,
            self._now(),
            request.actor,
            AuditAction.UNBLOCK,
            (clip_id,),
            reason=request.reason,
            before={"md5s": md5s},
        )
        await self._execute(entry)
        return ModerationResult(
            AuditAction.UNBLOCK, (clip_id,), True, ("Unblocked: it is stored when it is found again.",)
        )

    async def resume_action(self, entry: AuditEntry) -> None:
        """Complete an interrupted action, unless a later one supersedes it."""
        overtaken = await self._audit_log.is_superseded(entry)
        if not overtaken:
            await self._apply_action(entry)
        await self._audit_log.mark_done(entry, self._now(), resumed=not overtaken)
        if (
            entry.action in _SCOPE_BY_ACTION
            and not overtaken
            and (located := await self._store.find_clip(entry.targets[0])) is not None
        ):
            await self._remove_clip(
                entry.action, located, ModerationRequest(entry.actor, f"{entry.id}-again", entry.reason)
            )

    async def enforce_block(
        self, located: LocatedClip, request: ModerationRequest, scope: BlockScope | None = None
    ) -> None:
        """Remove a clip that was stored while it was being blocked, in the scope of the block. Without a block of its
        MD5, `scope` applies.
        """
        block = parse_moderation(located.event, await self._store.list_blocked()).find_block(located.clip["md5"])
        reach = block.scope if block else scope
        if reach is not None:
            action = AuditAction.TAKE_DOWN if reach is BlockScope.TAKEN_DOWN else AuditAction.WRONG_GOAL
            await self._execute(self._build_entry(action, located, request, {"clip": located.clip}))

    async def _execute(self, entry: AuditEntry) -> list[LocatedClip]:
        intended = await self._audit_log.record_intent(entry)
        copies = await self._apply_action(intended)
        await self._audit_log.mark_done(intended, self._now())
        return copies

    async def _remove_clip(
        self, action: AuditAction, located: LocatedClip, request: ModerationRequest
    ) -> list[LocatedClip]:
        """Repeat until the clip is removed: a better copy may replace the file meanwhile."""
        copies: list[LocatedClip] = []
        found: LocatedClip | None = located
        for attempt in range(_MAX_REMOVAL_ROUNDS):
            if found is not None:
                again = replace(request, entry_id=f"{request.entry_id}-{attempt}" if attempt else request.entry_id)
                before = {"clip": found.clip, "everywhere": action is AuditAction.TAKE_DOWN}
                copies += await self._execute(self._build_entry(action, found, again, before))
                found = await self._store.find_clip(located.clip_id)
        return [copy for copy in copies if copy.clip_id != located.clip_id]

    async def _apply_action(self, entry: AuditEntry) -> list[LocatedClip]:
        """Apply the action. Returns the other clips that were removed with it."""
        if entry.action in _SCOPE_BY_ACTION:
            await self._block_clip(entry, _SCOPE_BY_ACTION[entry.action])
            return await self._remove_lookalikes(entry) if entry.before.get("everywhere") else []
        if entry.action is AuditAction.UNBLOCK:
            await self._lift_blocks(entry.before["md5s"])
        elif entry.action is AuditAction.KEEP_APART:
            await self._update_goal(entry, updates.keep_clips_apart({**entry.before["row"], "at": entry.at}))
        elif entry.action is AuditAction.MERGE_AGAIN:
            await self._update_goal(entry, updates.allow_merging(entry.targets))
        elif entry.action in (AuditAction.PIN, AuditAction.UNPIN):
            change = updates.pin_clip if entry.action is AuditAction.PIN else updates.unpin_clip
            await self._update_goal(entry, change(entry.targets[0]))
        return []

    async def _remove_lookalikes(self, entry: AuditEntry) -> list[LocatedClip]:
        copies = await self._find_lookalikes(entry)
        reason = f"same content as {entry.targets[0]}: {entry.reason}"
        for copy in copies:
            request = ModerationRequest(entry.actor, f"{entry.id}-{copy.clip_id}", reason)
            await self._execute(self._build_entry(entry.action, copy, request, {"clip": copy.clip}))
        return copies

    async def _block_clip(self, entry: AuditEntry, scope: BlockScope) -> None:
        """The fingerprints are copied before the record is removed, and the record is removed before the objects."""
        clip = entry.before["clip"]
        rows = [await self._build_block_row(entry, scope, file) for file in list_files(clip)]
        rows[0]["md5s"] = collect_md5s(clip)
        if scope is BlockScope.TAKEN_DOWN:
            of = {"fixture_id": entry.fixture_id, "event_id": entry.event_id, "reason": entry.reason, "by": entry.actor}
            for file, row in zip(list_files(clip), rows, strict=True):
                await self._store.block_file({"_id": file.md5, **row, **of})
        await self._update_goal(entry, updates.block_clip(clip["clip_id"], clip["_s3_key"], rows))
        goals = await self._store.find_goals(fixture_id=entry.fixture_id)
        in_use = {
            key for _, event in goals for other in event.get("_s3_videos") or () for key in list_object_keys(other)
        }
        await self._objects.delete_clip(clip, entry.event_id, collect_md5s(clip), in_use)

    async def _build_block_row(self, entry: AuditEntry, scope: BlockScope, file: FingerprintedFile) -> Document:
        kept = blocked_fingerprint_key(scope, entry.fixture_id or 0, entry.event_id, file.md5)
        return {
            "clip_id": entry.targets[0],
            "md5": file.md5,
            "md5s": [file.md5],
            "scope": scope.value,
            "at": entry.at,
            "hash_version": file.hash_version,
            "print_key": await self._objects.preserve_fingerprint(file, kept),
        }

    async def _lift_blocks(self, md5s: list[str]) -> None:
        await self._store.unblock_files(md5s)
        for fixture_id, event_id in await self._store.find_goals_blocking(md5s):
            await self._store.update_goal(fixture_id, event_id, updates.lift_blocks(md5s))

    async def _update_goal(self, entry: AuditEntry, fields: dict[str, Any]) -> None:
        """A goal that was deleted meanwhile, with its fixture, needs no change."""
        await self._store.update_goal(entry.fixture_id or 0, entry.event_id, fields)

    async def _find_lookalikes(self, entry: AuditEntry) -> list[LocatedClip]:
        clip = entry.before["clip"]
        same = await self._store.find_by_md5(collect_md5s(clip))
        kept = [blocked_fingerprint_key(BlockScope.TAKEN_DOWN, 0, "", file.md5) for file in list_files(clip)]
        lookalikes = await self._lookalike_finder.find_lookalikes(kept, self._store.iter_clips())
        return list({located.clip_id: located for located in (*same, *lookalikes)}.values())

    def _build_entry(
        self, action: AuditAction, located: LocatedClip, request: ModerationRequest, before: Document
    ) -> AuditEntry:
        place = (located.fixture_id, located.event_id)
        return AuditEntry(
            request.entry_id, self._now(), request.actor, action, (located.clip_id,), *place, request.reason, before
        )

    async def _find_present_clip(self, name: str) -> tuple[LocatedClip | None, tuple[str, ...]]:
        """The clip, and messages about where it is; None if it was blocked. Raises NotFound if it is unknown."""
        clip_id = parse_clip_reference(name)
        begun = await self._audit_log.find_unfinished(clip_id=clip_id)
        for entry in begun:
            await self.resume_action(entry)
        located = await self._lookup.find_clip(clip_id)
        if located is None:
            finished = f"{begun[-1].action} was interrupted; it is finished now." if begun else "It is removed already."
            return None, (finished,)
        moved = () if located.clip_id == clip_id else (f"{clip_id} is {located.clip_id} now.",)
        return located, moved


def _list_clip_names(clip_id: str, located: LocatedClip | None) -> list[str]:
    """The names of a clip: its id and the MD5 of its file. If it was merged into another clip, its MD5 is found among
    that clip's copies.
    """
    if located is None:
        return [clip_id]
    if located.clip_id == clip_id:
        return [clip_id, located.clip["md5"]]
    goals = [located.event_id, located.event.get("_matched_from") or ""]
    return [clip_id, *(f.md5 for f in list_files(located.clip) if clip_id in (made_id(goal, f.md5) for goal in goals))]
