"""Fetches a candidate's video once: from its host into the scratch area of the object store, screening it on
the way.
"""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from found_footy.clips.decoding import outcome_for_fault, require_file_fault
from found_footy.clips.fetch.cache import ClipCache, compute_md5
from found_footy.clips.fetch.cache_sweeper import FindBlocked, find_none_blocked
from found_footy.clips.fetch.failures import FetchFailure
from found_footy.clips.fetch.sources import FetchLimits, HostFailed, VariantLookup, VideoDownloader
from found_footy.clips.fetch.variants import estimate_bytes
from found_footy.clips.messages import CandidateNote, ClipFile, FetchCandidate
from found_footy.domain.clip_files import PREVIEW, THUMBNAIL, VIDEO
from found_footy.domain.ids import clip_key, scratch_key
from found_footy.domain.messages import Goal
from found_footy.domain.outcomes import ClipOutcome, RetryAdvice
from found_footy.domain.screening import ScreeningRules, screen_file
from found_footy.platform.disk import DiskFloorMonitor, DiskFloorRule
from found_footy.platform.errors import NotFound, Unavailable
from found_footy.platform.http.client import DownloadedFile, SafeHttpClient
from found_footy.platform.media.mp4_boxes import count_missing_bytes
from found_footy.platform.media.probe import MediaInfo, UnusableMedia, prepare_media
from found_footy.platform.media.self_test import can_decode_reference
from found_footy.platform.objects import SYSTEM, ObjectStore

__all__ = ["ClipFetcher", "FetchLimits", "HostFailed"]

_MAX_POINTER_BYTES = 10_000
# The file as fetched, as remuxed, and in the scratch area, which may be on the same disk.
_FILES_ON_DISK = 3


class ClipFetcher:
    """A rejected video is returned as a note with the reason. HostFailed, DecoderFailed and errors of the product's own
    disk or store are retryable. DiskLow is one of the latter: `disk` has too little free space for another file.

    `lookups` return a post's files if the search did not, or if those have expired; `host_lookup` those of a post that
    links to a clip host.
    """

    def __init__(
        self,
        http: SafeHttpClient,
        objects: ObjectStore,
        cache: ClipCache,
        rules: ScreeningRules,
        limits: FetchLimits,
        lookups: Sequence[VariantLookup] = (),
        find_blocked: FindBlocked = find_none_blocked,
        disk: DiskFloorMonitor | None = None,
        host_lookup: VariantLookup | None = None,
    ) -> None:
        self._disk = disk or DiskFloorMonitor((), DiskFloorRule(0, 0))
        self._max_bytes = limits.max_bytes
        self._downloader = VideoDownloader(http, limits, lookups, host_lookup)
        self._objects = objects
        self._cache = cache
        self._rules = rules
        self._find_blocked = find_blocked

    async def fetch(self, request: FetchCandidate) -> ClipFile | CandidateNote:
        """Fetch a candidate. A clip that an earlier attempt put into the scratch area is not fetched again."""
        if (clip := await self._find_fetched(request.goal, request.candidate.url)) is not None:
            return _note_blocked(request) if await self._is_blocked(clip.md5) else clip
        need = _FILES_ON_DISK * estimate_bytes(request.candidate, self._max_bytes)
        async with self._disk.reserve_space(need), self._cache.workspace() as folder:
            got = await self._downloader.download(request.candidate, folder / "source.mp4")
            if isinstance(got, FetchFailure):
                return CandidateNote(request.candidate.url, got.outcome, got.reason)
            return await self._screen_and_store(request, got, folder)

    async def get_local_file(self, goal: Goal, clip: ClipFile) -> Path:
        """The clip's file on this machine, from the cache or the object store. NotFound if it is in neither or was
        taken down, Unavailable if the stored bytes are not the clip's.
        """
        if await self._is_blocked(clip.md5):
            await self._cache.delete(clip.md5)
            raise NotFound(f"clip {clip.md5} was taken down")
        if (kept := await self._cache.get_verified(clip.md5, clip.file_size)) is not None:
            return kept
        async with self._cache.workspace() as folder:
            key = await self.find_object_key(goal, clip)
            await self._objects.get_file(key, folder / "clip.mp4")
            if await asyncio.to_thread(compute_md5, folder / "clip.mp4") != clip.md5:
                raise Unavailable(SYSTEM, f"{key} was read with other bytes than were stored")
            return await self._cache.add_file(folder / "clip.mp4", clip.md5)

    async def is_decoder_working(self) -> bool:
        """Whether this machine can decode the reference clip now."""
        async with self._cache.workspace() as folder:
            return await can_decode_reference(folder)

    async def _is_blocked(self, md5: str) -> bool:
        return bool(await self._find_blocked([md5]))

    async def find_object_key(self, goal: Goal, clip: ClipFile) -> str:
        """The key of the clip's object: scratch, or its final key if another attempt was archived first."""
        for key in (clip.scratch_key, clip_key(goal.fixture_id, goal.event_id, clip.md5)):
            found = await self._objects.head(key)
            if found is not None and found.size == clip.file_size:
                return key
        raise NotFound(f"clip {clip.md5} is neither in the scratch area nor archived")

    async def delete_source_pointer(self, goal: Goal, url: str) -> None:
        await self._objects.delete(_pointer_key(goal, url))

    async def _find_fetched(self, goal: Goal, url: str) -> ClipFile | None:
        try:
            clip = _parse_pointer(await self._objects.get_bytes(_pointer_key(goal, url), limit=_MAX_POINTER_BYTES))
            if clip is not None:
                await self.find_object_key(goal, clip)
        except NotFound:
            return None
        return clip

    async def _screen_and_store(
        self, request: FetchCandidate, download: DownloadedFile, folder: Path
    ) -> ClipFile | CandidateNote:
        source, made = folder / "source.mp4", folder / "made"
        await asyncio.to_thread(made.mkdir)  # a directory of its own, so that the decoder cannot change the source
        playable, thumbnail, preview = made / "clip.mp4", made / "clip.jpg", made / "preview.mp4"
        prepared = await prepare_media(source, thumbnail=thumbnail, playable=playable, preview=preview)
        if isinstance(prepared, UnusableMedia):
            why = require_file_fault(prepared)
            return CandidateNote(request.candidate.url, outcome_for_fault(why.fault), f"{why.fault}: {why.detail}")
        if missing := await asyncio.to_thread(count_missing_bytes, source):
            reason = f"truncated: {missing} bytes are missing"
            return CandidateNote(request.candidate.url, ClipOutcome.DOWNLOAD_FAILED, reason, retry=RetryAdvice.FEW)
        info = prepared.info
        broken = screen_file(info.duration, info.width, info.height, self._rules)
        if broken is not None:
            return CandidateNote(request.candidate.url, broken.outcome, broken.reason)
        final, md5 = (
            (playable, await asyncio.to_thread(compute_md5, playable))
            if prepared.is_remuxed
            else (source, download.md5)
        )
        if await self._is_blocked(md5):
            return _note_blocked(request)
        clip = _build_clip_file(request, info, md5, final.stat().st_size)
        await self._store(request.goal, clip, final, thumbnail, preview if prepared.has_preview else None)
        return clip

    async def _store(self, goal: Goal, clip: ClipFile, file: Path, thumbnail: Path, preview: Path | None) -> None:
        """The pointer is written last: it guarantees that the other objects exist."""
        made = {THUMBNAIL: thumbnail, **({PREVIEW: preview} if preview else {}), VIDEO: file}
        for kind, path in made.items():
            await self._objects.put_file(kind.key_beside(clip.scratch_key), path, content_type=kind.content_type)
        await self._cache.add_file(file, clip.md5)
        pointer = json.dumps(asdict(clip)).encode()
        key = _pointer_key(goal, clip.source_url)
        await self._objects.put_bytes(key, pointer, content_type="application/json")


def _note_blocked(request: FetchCandidate) -> CandidateNote:
    return CandidateNote(request.candidate.url, ClipOutcome.BLOCKED, "it was taken down")


def _parse_pointer(pointer: bytes) -> ClipFile | None:
    """None for a pointer with other fields, which is then overwritten."""
    try:
        return ClipFile(**json.loads(pointer))
    except (ValueError, TypeError):
        return None


def _build_clip_file(request: FetchCandidate, info: MediaInfo, md5: str, size: int) -> ClipFile:
    return ClipFile(
        md5=md5,
        scratch_key=scratch_key(request.goal.event_id, md5),
        source_url=request.candidate.url,
        width=info.width,
        height=info.height,
        duration=info.duration,
        file_size=size,
        bitrate=info.bitrate,
        fps=info.fps,
    )


def _pointer_key(goal: Goal, url: str) -> str:
    return f"scratch/{goal.event_id}/sources/{hashlib.sha256(url.encode()).hexdigest()[:32]}.json"
