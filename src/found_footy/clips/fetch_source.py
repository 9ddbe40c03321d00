"""Where the bytes of a posted video come from: the files that its search named, else those that its post names now."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from found_footy.clips.fetch_refusal import Refusal, joined
from found_footy.clips.syndication_post import valid_id
from found_footy.clips.variants import by_quality, within
from found_footy.model.handoff import FoundVideo, VideoVariant
from found_footy.model.outcome import ClipOutcome
from found_footy.platform.errors import DiskFailed, OutsideError, Refused, TooLarge, Unavailable
from found_footy.platform.http import Downloaded, SafeHttp

SYSTEM = "video host"
# Who finds posts that X can be asked about again.
_OF_X = frozenset({"x", "manual"})
_OK = 200
_HTTP_PORT = 80
_SERVER_ERROR = 500
_BY_STATUS = {
    403: ClipOutcome.DOWNLOAD_GEO,
    404: ClipOutcome.DOWNLOAD_DELETED,
    410: ClipOutcome.DOWNLOAD_DELETED,
    451: ClipOutcome.DOWNLOAD_GEO,
}
# What the host says of an address that has expired, too.
_STALE = frozenset({403, 404, 410})
_RATE_LIMITED = 429
# The host asks for the same request once more.
_TOO_EARLY = frozenset({408, 425})
_NO_FILE = Refusal(ClipOutcome.BAD_URL, "no MP4 among its variants", elsewhere=True)


class HostFailed(Unavailable):
    """The host did not give the video now. `outcome` is what to say of it if it never does."""

    def __init__(self, outcome: ClipOutcome, message: str) -> None:
        super().__init__(SYSTEM, message)
        self.outcome = outcome


class Lookup(Protocol):
    """Tells the files of a post's video as they are now."""

    async def variants(self, video: FoundVideo) -> tuple[VideoVariant, ...] | Refusal: ...


@dataclass(frozen=True)
class FetchLimits:
    """`deadline` covers one video with all that is asked on the way."""

    max_bytes: int
    deadline: timedelta


class VideoSource:
    """`lookups` are asked in their order, once each, when there is no file to ask for or it is there no longer."""

    def __init__(self, http: SafeHttp, limits: FetchLimits, lookups: Sequence[Lookup] = ()) -> None:
        self._http = http
        self._limits = limits
        self._lookups = lookups

    async def obtain(self, video: FoundVideo, target: Path) -> Downloaded | Refusal:
        """The file at `target`, or why there is none. HostFailed if there may be one in a while; DiskFailed."""
        seconds = self._limits.deadline.total_seconds()
        try:
            async with asyncio.timeout(seconds):
                got = await self._obtained(video, target)
        except TimeoutError as error:
            raise HostFailed(ClipOutcome.DOWNLOAD_TIMEOUT, f"not fetched within {seconds:g} s") from error
        if isinstance(got, Refusal) and got.passing:
            raise HostFailed(got.outcome, got.reason)
        return got

    async def _obtained(self, video: FoundVideo, target: Path) -> Downloaded | Refusal:
        tried: set[str] = set()
        got = await self._best_of(video, by_quality(video), tried, target)
        lookups = self._lookups if video.source in _OF_X and valid_id(video.tweet_id) else ()
        for lookup in lookups:
            if not (isinstance(got, Refusal) and got.elsewhere):
                break
            got = await self._renewed(video, lookup, got, tried, target)
        return got

    async def _renewed(
        self, video: FoundVideo, lookup: Lookup, refusal: Refusal, tried: set[str], target: Path
    ) -> Downloaded | Refusal:
        told = await lookup.variants(video)
        if isinstance(told, Refusal):
            return joined(refusal, told)
        post = FoundVideo(video.url, video.tweet_id, video.author, None, video.duration_seconds, variants=told)
        fresh = tuple(variant for variant in by_quality(post) if variant.url not in tried)
        if not fresh:
            return joined(refusal, Refusal(ClipOutcome.BAD_URL, "the post names no other file", elsewhere=True))
        return await self._best_of(post, fresh, tried, target)

    async def _best_of(
        self, video: FoundVideo, variants: Sequence[VideoVariant], tried: set[str], target: Path
    ) -> Downloaded | Refusal:
        """The best file that is not too large."""
        refusal = _NO_FILE
        for variant in within(variants, video.duration_seconds, self._limits.max_bytes):
            tried.add(variant.url)
            try:
                return await self._download(variant.url, target)
            except TooLarge as error:
                refusal = Refusal(ClipOutcome.FILTERED_SIZE, error.message)
        return refusal

    async def _download(self, url: str, target: Path) -> Downloaded | Refusal:
        if _is_plain(url):
            return Refusal(ClipOutcome.BAD_URL, "the address is not encrypted")
        try:
            answer = await self._http.download(
                url, target, max_bytes=self._limits.max_bytes, deadline=2 * self._limits.deadline
            )
        except (TooLarge, DiskFailed):
            raise
        except Refused as error:
            return Refusal(ClipOutcome.BAD_URL, error.message)
        except OutsideError as error:
            return Refusal(ClipOutcome.DOWNLOAD_FAILED, error.message, passing=True)
        return answer if answer.status == _OK else _refused(answer.status)


def _is_plain(url: str) -> bool:
    """Whether an address would be asked without encryption. Hosts of one's own are named with a port of their own, and
    may; the usual port is what a host has that is named without one.
    """
    try:
        parts = urlsplit(url)
        return parts.scheme.lower() == "http" and parts.port in (None, _HTTP_PORT)
    except ValueError:
        return False  # no address at all, which the client says better


def _refused(status: int) -> Refusal:
    if status == _RATE_LIMITED:
        return Refusal(ClipOutcome.DOWNLOAD_RATE_LIMITED, "asks us to slow down", passing=True)
    outcome = _BY_STATUS.get(status, ClipOutcome.DOWNLOAD_FAILED)
    passing = status >= _SERVER_ERROR or status in _TOO_EARLY
    return Refusal(outcome, f"status {status}", passing=passing, elsewhere=status in _STALE)
