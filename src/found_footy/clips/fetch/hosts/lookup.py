"""Looks up the file behind a link to a clip host. A clip that is being processed is told from one that is gone."""

from datetime import timedelta

from found_footy.clips.fetch.failures import FetchFailure
from found_footy.clips.fetch.hosts.pages import find_page_video, read_file_list, read_manifest, read_streamable
from found_footy.clips.fetch.hosts.playlists import read_main_playlist, read_stream_file
from found_footy.clips.fetch.hosts.table import HostLink, HostMethod, HostRule, find_host_link
from found_footy.domain.messages import ClipCandidate, VideoVariant
from found_footy.domain.outcomes import ClipOutcome
from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.errors import ExternalSystemError, Malformed, Refused, TooLarge
from found_footy.platform.http.client import HttpResponse, SafeHttpClient

MAX_PAGE_BYTES = 512 * 1024
# Hosts process a new clip for seconds to minutes. Afterwards a page without a file means that the clip is gone.
PROCESSING_TIME = timedelta(minutes=5)
_OK = 200
_FILE_IS_THERE = frozenset({200, 206})
_FORBIDDEN = 403
_GONE = frozenset({404, 410, 451})
_SERVER_ERROR = 500
_TOO_MANY_REQUESTS = 429


class ClipHostLookup:
    """`http` may contact the hosts of the rules only, and reads no more than a page."""

    def __init__(self, http: SafeHttpClient, rules: tuple[HostRule, ...], now: Clock = utc_now) -> None:
        self._http = http
        self._rules = rules
        self._now = now

    async def fetch_variants(self, candidate: ClipCandidate) -> tuple[VideoVariant, ...] | FetchFailure:
        links = [find_host_link(variant.url, self._rules) for variant in candidate.variants]
        link = next((link for link in links if link is not None), None)
        if link is None:
            return FetchFailure(ClipOutcome.BAD_URL, "the post links to no known clip host")
        try:
            return await self._ask_host(link, candidate)
        except Refused as error:
            return FetchFailure(ClipOutcome.BAD_URL, error.message)
        except Malformed as error:
            return FetchFailure(ClipOutcome.BAD_URL, f"the clip host's answer is not understood: {error.message}")
        except ExternalSystemError as error:
            return FetchFailure(ClipOutcome.DOWNLOAD_FAILED, error.message, transient=True)

    async def _ask_host(self, link: HostLink, candidate: ClipCandidate) -> tuple[VideoVariant, ...] | FetchFailure:
        if link.rule.method is HostMethod.FILE:
            return await self._probe_file(link, candidate)
        answer = await self._http.request("GET", link.asked)
        if link.else_asked and (answer.status != _OK or read_manifest(answer.body, link.asked) is None):
            return await self._read_playlists(link, answer.status, candidate)
        if answer.status != _OK:
            return self._failure_for_status(answer.status, candidate)
        return self._read_answer(link, answer, candidate)

    async def _probe_file(self, link: HostLink, candidate: ClipCandidate) -> tuple[VideoVariant, ...] | FetchFailure:
        """Whether the file of a host that has no page is there. A host may ignore that only its start is wanted."""
        try:
            answer = await self._http.request("GET", link.asked, headers={"range": "bytes=0-1"})
        except TooLarge:
            return (VideoVariant(link.asked),)
        if answer.status in _FILE_IS_THERE:
            is_page = "text/" in answer.headers.get("content-type", "")
            return self._no_file(candidate) if is_page else (VideoVariant(link.asked),)
        # Such hosts answer so while they process a clip, and when it is gone.
        if answer.status >= _SERVER_ERROR:
            return self._no_file(candidate)
        return self._failure_for_status(answer.status, candidate)

    async def _read_playlists(
        self, link: HostLink, manifest_status: int, candidate: ClipCandidate
    ) -> tuple[VideoVariant, ...] | FetchFailure:
        """The files by the HLS playlists, for a video without a manifest that can be read."""
        answer = await self._http.request("GET", link.else_asked)
        if answer.status != _OK:
            worst = max(answer.status, manifest_status)
            return self._no_file(candidate) if worst == _FORBIDDEN else self._failure_for_status(worst, candidate)
        stream = read_main_playlist(answer.body.decode("utf-8", "replace"), link.else_asked)
        if stream is None:
            raise Malformed(answer.system, "neither a manifest nor a playlist")
        picture = await self._read_stream_file(stream.playlist)
        if picture is None:
            return FetchFailure(ClipOutcome.UNSUPPORTED_CODEC, "the playlist lists no MP4")
        sound = await self._read_stream_file(stream.sound_playlist) if stream.sound_playlist else None
        return (VideoVariant(picture, stream.bitrate, stream.width, stream.height, sound or ""),)

    async def _read_stream_file(self, playlist: str) -> str | None:
        answer = await self._http.request("GET", playlist)
        if answer.status != _OK:
            return None
        return read_stream_file(answer.body.decode("utf-8", "replace"), playlist)

    def _read_answer(
        self, link: HostLink, answer: HttpResponse, candidate: ClipCandidate
    ) -> tuple[VideoVariant, ...] | FetchFailure:
        if link.rule.method is HostMethod.PAGE:
            address = find_page_video(answer.body.decode("utf-8", "replace"), link.asked)
            return (VideoVariant(address),) if address else self._no_file(candidate)
        if link.rule.method is HostMethod.LIST:
            files = read_file_list(answer.json())
            if files is None:
                raise Malformed(answer.system, "no list of files")
            return tuple(VideoVariant(file) for file in files) or self._no_file(candidate)
        if link.rule.method is HostMethod.MANIFEST:
            variant = read_manifest(answer.body, link.asked)
            if variant is None:
                raise Malformed(answer.system, "no manifest")
            return (variant,)
        return self._read_streamable(answer)

    def _read_streamable(self, answer: HttpResponse) -> tuple[VideoVariant, ...] | FetchFailure:
        told = read_streamable(answer.json())
        if told is None:
            raise Malformed(answer.system, "no clip")
        address, is_coming = told
        if address:
            return (VideoVariant(address),)
        if is_coming:
            return FetchFailure(ClipOutcome.DOWNLOAD_FAILED, "the clip is still being processed", transient=True)
        return FetchFailure(ClipOutcome.DOWNLOAD_DELETED, "the clip host could not process the clip")

    def _no_file(self, candidate: ClipCandidate) -> FetchFailure:
        """Without a file a clip is being processed while its post is new, and gone afterwards."""
        if candidate.posted_at is not None and self._now() - candidate.posted_at < PROCESSING_TIME:
            return FetchFailure(ClipOutcome.DOWNLOAD_FAILED, "the clip has no file yet", transient=True)
        return FetchFailure(ClipOutcome.DOWNLOAD_DELETED, "the clip is gone: its page has no file")

    def _failure_for_status(self, status: int, candidate: ClipCandidate) -> FetchFailure:
        if status == _TOO_MANY_REQUESTS:
            return FetchFailure(ClipOutcome.DOWNLOAD_RATE_LIMITED, "the clip host is rate limited", transient=True)
        if status in _GONE:
            return self._no_file(candidate)
        transient = status >= _SERVER_ERROR
        return FetchFailure(ClipOutcome.DOWNLOAD_FAILED, f"clip host: status {status}", transient=transient)
