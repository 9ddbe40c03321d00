"""Downloads a candidate's video: from the files that its search found, else from those that its post has now."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from found_footy.clips.fetch.cache import compute_md5
from found_footy.clips.fetch.failures import FetchFailure, merge_failures
from found_footy.clips.fetch.variants import filter_by_size, rank_variants
from found_footy.domain.messages import ClipCandidate, VideoVariant
from found_footy.domain.outcomes import ClipOutcome
from found_footy.domain.tweets import is_tweet_id
from found_footy.platform.errors import DiskFailed, ExternalSystemError, Refused, TooLarge, Unavailable
from found_footy.platform.http.client import DownloadedFile, SafeHttpClient
from found_footy.platform.logs import ActionLogger
from found_footy.platform.media.joining import join_picture_and_sound
from found_footy.platform.media.probe import MediaFault

SYSTEM = "video host"
# Sources of posts on X, which can be looked up again.
_X_SOURCES = frozenset({"x", "manual"})
# Sources whose posts link to the page of a clip host.
_LINKING_SOURCES = frozenset({"reddit"})
_OK = 200
_HTTP_PORT = 80
_SERVER_ERROR = 500
_OUTCOME_BY_STATUS = {
    403: ClipOutcome.DOWNLOAD_GEO,
    404: ClipOutcome.DOWNLOAD_DELETED,
    410: ClipOutcome.DOWNLOAD_DELETED,
    451: ClipOutcome.DOWNLOAD_GEO,
}
# Statuses that the host also returns for an expired URL.
_EXPIRED_STATUSES = frozenset({403, 404, 410})
_RATE_LIMITED = 429
# Statuses after which the same request may be repeated.
_RETRY_STATUSES = frozenset({408, 425})
_NO_MP4_FAILURE = FetchFailure(ClipOutcome.BAD_URL, "none of its variants is an MP4", try_other_source=True)


logger = ActionLogger(__name__)


class HostFailed(Unavailable):
    """The host did not return the video now. `outcome` is recorded if it never does."""

    def __init__(self, outcome: ClipOutcome, message: str) -> None:
        super().__init__(SYSTEM, message)
        self.outcome = outcome


class VariantLookup(Protocol):
    """Looks up the current files of a post's video."""

    async def fetch_variants(self, candidate: ClipCandidate) -> tuple[VideoVariant, ...] | FetchFailure: ...


@dataclass(frozen=True)
class FetchLimits:
    """`deadline` covers one video with all its requests."""

    max_bytes: int
    deadline: timedelta


class VideoDownloader:
    """`lookups` are used in their order, once each, when there is no file or it has expired. `host_lookup` is used for
    posts that link to a clip host.
    """

    def __init__(
        self,
        http: SafeHttpClient,
        limits: FetchLimits,
        lookups: Sequence[VariantLookup] = (),
        host_lookup: VariantLookup | None = None,
    ) -> None:
        self._http = http
        self._limits = limits
        self._lookups = lookups
        self._host_lookups = (host_lookup,) if host_lookup else ()

    async def download(self, candidate: ClipCandidate, target: Path) -> DownloadedFile | FetchFailure:
        """Download the file to `target`, or return why there is none. Raises HostFailed for transient failures, and
        DiskFailed.
        """
        seconds = self._limits.deadline.total_seconds()
        try:
            async with asyncio.timeout(seconds):
                got = await self._download_from_sources(candidate, target)
        except TimeoutError as error:
            raise HostFailed(ClipOutcome.DOWNLOAD_TIMEOUT, f"not fetched within {seconds:g} s") from error
        if isinstance(got, FetchFailure) and got.transient:
            raise HostFailed(got.outcome, got.reason)
        return got

    async def _download_from_sources(self, candidate: ClipCandidate, target: Path) -> DownloadedFile | FetchFailure:
        tried: set[str] = set()
        got = await self._download_best(candidate, rank_variants(candidate), tried, target)
        for lookup in self._find_lookups(candidate):
            if not (isinstance(got, FetchFailure) and got.try_other_source):
                break
            got = await self._download_from_lookup(candidate, lookup, got, tried, target)
        return got

    def _find_lookups(self, candidate: ClipCandidate) -> Sequence[VariantLookup]:
        if candidate.source in _LINKING_SOURCES:
            return self._host_lookups
        return self._lookups if candidate.source in _X_SOURCES and is_tweet_id(candidate.tweet_id) else ()

    async def _download_from_lookup(
        self, candidate: ClipCandidate, lookup: VariantLookup, failure: FetchFailure, tried: set[str], target: Path
    ) -> DownloadedFile | FetchFailure:
        variants = await lookup.fetch_variants(candidate)
        if isinstance(variants, FetchFailure):
            return merge_failures(failure, variants)
        post = ClipCandidate(
            candidate.url, candidate.tweet_id, candidate.author, None, candidate.duration_seconds, variants=variants
        )
        fresh = tuple(variant for variant in rank_variants(post) if variant.url not in tried)
        if not fresh:
            return merge_failures(
                failure, FetchFailure(ClipOutcome.BAD_URL, "the post has no other file", try_other_source=True)
            )
        return await self._download_best(post, fresh, tried, target)

    async def _download_best(
        self, candidate: ClipCandidate, variants: Sequence[VideoVariant], tried: set[str], target: Path
    ) -> DownloadedFile | FetchFailure:
        """Download the best file that is not too large."""
        failure = _NO_MP4_FAILURE
        for variant in filter_by_size(variants, candidate.duration_seconds, self._limits.max_bytes):
            tried.add(variant.url)
            try:
                got = await self._download_url(variant.url, target)
                return await self._add_sound(variant.sound_url, got, target) if variant.sound_url else got
            except TooLarge as error:
                failure = FetchFailure(ClipOutcome.FILTERED_SIZE, error.message)
        return failure

    async def _add_sound(
        self, sound_url: str, picture: DownloadedFile | FetchFailure, target: Path
    ) -> DownloadedFile | FetchFailure:
        """Join the sound to the downloaded picture. A clip whose sound cannot be had is used without it."""
        if isinstance(picture, FetchFailure):
            return picture
        folder = target.parent / "sound"
        await asyncio.to_thread(folder.mkdir, exist_ok=True)
        sound = await self._download_url(sound_url, folder / "sound.mp4")
        if isinstance(sound, FetchFailure):
            if sound.transient:
                return sound
            return picture
        fault = await join_picture_and_sound(target, folder / "sound.mp4", folder / "joined.mp4")
        if fault is not None:
            if fault.fault is MediaFault.MACHINE:
                raise HostFailed(ClipOutcome.DOWNLOAD_FAILED, fault.detail)
            logger.warning("clip without its sound: %s", fault.detail, action="sound_not_joined", fault=fault.fault)
            return picture
        return await asyncio.to_thread(_replace_file, folder / "joined.mp4", target, picture)

    async def _download_url(self, url: str, target: Path) -> DownloadedFile | FetchFailure:
        if _is_unencrypted(url):
            return FetchFailure(ClipOutcome.BAD_URL, "the address is not https")
        try:
            answer = await self._http.download(
                url, target, max_bytes=self._limits.max_bytes, deadline=2 * self._limits.deadline
            )
        except (TooLarge, DiskFailed):
            raise
        except Refused as error:
            return FetchFailure(ClipOutcome.BAD_URL, error.message)
        except ExternalSystemError as error:
            return FetchFailure(ClipOutcome.DOWNLOAD_FAILED, error.message, transient=True)
        return answer if answer.status == _OK else _failure_for_status(answer.status)


def _replace_file(joined: Path, target: Path, picture: DownloadedFile) -> DownloadedFile:
    joined.replace(target)
    return replace(picture, size=target.stat().st_size, md5=compute_md5(target))


def _is_unencrypted(url: str) -> bool:
    """Whether the URL would be requested without encryption. Private hosts are configured with an explicit port and may
    be; the default port means a public host.
    """
    try:
        parts = urlsplit(url)
        return parts.scheme.lower() == "http" and parts.port in (None, _HTTP_PORT)
    except ValueError:
        return False  # not a URL; the HTTP client reports that better


def _failure_for_status(status: int) -> FetchFailure:
    if status == _RATE_LIMITED:
        return FetchFailure(ClipOutcome.DOWNLOAD_RATE_LIMITED, "rate limited", transient=True)
    outcome = _OUTCOME_BY_STATUS.get(status, ClipOutcome.DOWNLOAD_FAILED)
    passing = status >= _SERVER_ERROR or status in _RETRY_STATUSES
    return FetchFailure(outcome, f"status {status}", transient=passing, try_other_source=status in _EXPIRED_STATUSES)
