"""Looks up the file behind a link to a clip host. A clip that is being processed is told from one that is gone."""

from datetime import timedelta

from found_footy.clips.fetch.failures import FetchFailure
from found_footy.clips.fetch.hosts.pages import find_page_video, read_file_list, read_manifest, read_streamable
from found_footy.clips.fetch.hosts.table import HostLink, HostMethod, HostRule, find_host_link
from found_footy.domain.messages import ClipCandidate, VideoVariant
from found_footy.domain.outcomes import ClipOutcome
from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.errors import ExternalSystemError, Malformed, Refused
from found_footy.platform.http.client import HttpResponse, SafeHttpClient

MAX_PAGE_BYTES = 512 * 1024
# Hosts process a new clip for seconds to minutes. Afterwards a page without a file means that the clip is gone.
PROCESSING_TIME = timedelta(minutes=5)
_OK = 200
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
        if link.rule.method is HostMethod.FILE:
            return (VideoVariant(link.asked),)
        try:
            answer = await self._http.request("GET", link.asked)
            if answer.status != _OK:
                return self._failure_for_status(answer.status, candidate)
            return self._read_answer(link, answer, candidate)
        except Refused as error:
            return FetchFailure(ClipOutcome.BAD_URL, error.message)
        except Malformed as error:
            return FetchFailure(ClipOutcome.BAD_URL, f"the clip host's answer is not understood: {error.message}")
        except ExternalSystemError as error:
            return FetchFailure(ClipOutcome.DOWNLOAD_FAILED, error.message, transient=True)

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
