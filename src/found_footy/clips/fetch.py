"""Fetch a posted video, once: from its host into the scratch area of the object store, checked on the way."""

import asyncio
import hashlib
import json
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path

from found_footy.clips.cache import ClipCache
from found_footy.clips.messages import ClipFile, ClipNote, FetchVideo
from found_footy.clips.screening import Rules, objection
from found_footy.clips.variants import best_variant
from found_footy.model.handoff import Goal
from found_footy.model.ids import clip_key, scratch_key, scratch_thumbnail_key
from found_footy.model.outcome import ClipOutcome
from found_footy.platform.errors import NotFound, OutsideError, Refused, TooLarge, Unavailable
from found_footy.platform.http import Downloaded, SafeHttp
from found_footy.platform.media import MediaFault, MediaInfo, Unusable, prepare
from found_footy.platform.objects import ObjectStore

SYSTEM = "video host"
_OK = 200
_SERVER_ERROR = 500
_LONGEST_POINTER = 10_000
_BY_STATUS = {
    403: ClipOutcome.DOWNLOAD_GEO,
    404: ClipOutcome.DOWNLOAD_DELETED,
    410: ClipOutcome.DOWNLOAD_DELETED,
    451: ClipOutcome.DOWNLOAD_GEO,
}
_RATE_LIMITED = 429


class HostFailed(Unavailable):
    """The host did not give the video now. `outcome` is what to say of it if it never does."""

    def __init__(self, outcome: ClipOutcome, message: str) -> None:
        super().__init__(SYSTEM, message)
        self.outcome = outcome


@dataclass(frozen=True)
class FetchLimits:
    max_bytes: int
    deadline: timedelta


class ClipFetcher:
    """What cannot be used is a note with its reason. HostFailed, or an error of our own store, is worth another try."""

    def __init__(
        self, http: SafeHttp, objects: ObjectStore, cache: ClipCache, rules: Rules, limits: FetchLimits
    ) -> None:
        self._http = http
        self._objects = objects
        self._cache = cache
        self._rules = rules
        self._limits = limits

    async def fetch(self, wanted: FetchVideo) -> ClipFile | ClipNote:
        """A clip that an earlier try has already put into the scratch area is not fetched again."""
        if (clip := await self._fetched_before(wanted.goal, wanted.video.url)) is not None:
            return clip
        variant = best_variant(wanted.video)
        if variant is None:
            return ClipNote(wanted.video.url, ClipOutcome.BAD_URL, "no MP4 among its variants")
        async with self._cache.workspace() as folder:
            refusal = await self._download(variant.url, folder / "source.mp4")
            if refusal is not None:
                return ClipNote(wanted.video.url, *refusal)
            return await self._kept(wanted, folder)

    async def local(self, goal: Goal, clip: ClipFile) -> Path:
        """The clip's file on this machine, from wherever it is nearest. NotFound if it is nowhere."""
        path = self._cache.path(clip.md5)
        if await asyncio.to_thread(path.exists):
            return path
        async with self._cache.workspace() as folder:
            key = await self.whereabouts(goal, clip)
            await self._objects.get_file(key, folder / "clip.mp4")
            return await self._cache.adopt(folder / "clip.mp4", clip.md5)

    async def whereabouts(self, goal: Goal, clip: ClipFile) -> str:
        """The key of the clip's object: scratch, or its final place if another attempt got there first."""
        for key in (clip.scratch_key, clip_key(goal.fixture_id, goal.event_id, clip.md5)):
            found = await self._objects.head(key)
            if found is not None and found.size == clip.file_size:
                return key
        raise NotFound(f"clip {clip.md5} is neither in the scratch area nor archived")

    async def forget_source(self, goal: Goal, url: str) -> None:
        await self._objects.delete(_pointer_key(goal, url))

    async def _fetched_before(self, goal: Goal, url: str) -> ClipFile | None:
        try:
            pointer = await self._objects.get_bytes(_pointer_key(goal, url), limit=_LONGEST_POINTER)
            clip = ClipFile(**json.loads(pointer))
            await self.whereabouts(goal, clip)
        except NotFound:
            return None
        return clip

    async def _download(self, url: str, target: Path) -> tuple[ClipOutcome, str] | None:
        """None when the file is there, else the outcome and its reason."""
        seconds = self._limits.deadline.total_seconds()
        try:
            async with asyncio.timeout(seconds):
                answer = await self._http.download(
                    url, target, max_bytes=self._limits.max_bytes, deadline=2 * self._limits.deadline
                )
        except TimeoutError as error:
            raise HostFailed(ClipOutcome.DOWNLOAD_TIMEOUT, f"not fetched within {seconds:g} s") from error
        except TooLarge as error:
            return ClipOutcome.FILTERED_SIZE, error.message
        except Refused as error:
            return ClipOutcome.BAD_URL, error.message
        except OutsideError as error:
            raise HostFailed(ClipOutcome.DOWNLOAD_FAILED, error.message) from error
        return _refusal(answer)

    async def _kept(self, wanted: FetchVideo, folder: Path) -> ClipFile | ClipNote:
        source, thumbnail, playable = (folder / name for name in ("source.mp4", "clip.jpg", "clip.mp4"))
        prepared = await prepare(source, thumbnail=thumbnail, playable=playable)
        if isinstance(prepared, Unusable):
            return ClipNote(wanted.video.url, _outcome_of(prepared.fault), f"{prepared.fault}: {prepared.detail}")
        info = prepared.info
        broken = objection(info.duration, info.width, info.height, self._rules)
        if broken is not None:
            return ClipNote(wanted.video.url, broken.outcome, broken.reason)
        final = playable if prepared.remuxed else source
        clip = await asyncio.to_thread(_described, wanted, info, final)
        await self._store(wanted.goal, clip, final, thumbnail)
        return clip

    async def _store(self, goal: Goal, clip: ClipFile, file: Path, thumbnail: Path) -> None:
        """The pointer comes last: it promises that the rest is there."""
        picture = scratch_thumbnail_key(clip.scratch_key)
        await self._objects.put_file(picture, thumbnail, content_type="image/jpeg")
        await self._objects.put_file(clip.scratch_key, file, content_type="video/mp4")
        await self._cache.adopt(file, clip.md5)
        pointer = json.dumps(asdict(clip)).encode()
        key = _pointer_key(goal, clip.source_url)
        await self._objects.put_bytes(key, pointer, content_type="application/json")


def _refusal(answer: Downloaded) -> tuple[ClipOutcome, str] | None:
    if answer.status == _RATE_LIMITED:
        raise HostFailed(ClipOutcome.DOWNLOAD_RATE_LIMITED, "asks us to slow down")
    if answer.status >= _SERVER_ERROR:
        raise HostFailed(ClipOutcome.DOWNLOAD_FAILED, f"status {answer.status}")
    if answer.status != _OK:
        return _BY_STATUS.get(answer.status, ClipOutcome.DOWNLOAD_FAILED), f"status {answer.status}"
    return None


def _outcome_of(fault: MediaFault) -> ClipOutcome:
    if fault is MediaFault.PICTURE_SIZE:
        return ClipOutcome.FILTERED_SIZE
    return ClipOutcome.FILTERED_DURATION if fault is MediaFault.NO_DURATION else ClipOutcome.DOWNLOAD_FAILED


def _described(wanted: FetchVideo, info: MediaInfo, file: Path) -> ClipFile:
    with file.open("rb") as opened:
        md5 = hashlib.file_digest(opened, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
    return ClipFile(
        md5=md5,
        scratch_key=scratch_key(wanted.goal.event_id, md5),
        source_url=wanted.video.url,
        width=info.width,
        height=info.height,
        duration=info.duration,
        file_size=file.stat().st_size,
        bitrate=info.bitrate,
        fps=info.fps,
    )


def _pointer_key(goal: Goal, url: str) -> str:
    return f"scratch/{goal.event_id}/sources/{hashlib.sha256(url.encode()).hexdigest()[:32]}.json"
