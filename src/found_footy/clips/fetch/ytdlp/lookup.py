"""yt-dlp as a last resort for the files of a post: an optional library, run in a process with limits and a timeout."""

import json
import os
import sys
from datetime import timedelta
from importlib.util import find_spec
from typing import Any

from found_footy.clips.fetch.failures import GONE_STATUSES, THROTTLED_STATUSES, FetchFailure
from found_footy.clips.fetch.ytdlp.wire import parse_child_answer
from found_footy.domain.messages import ClipCandidate, VideoVariant
from found_footy.domain.outcomes import ClipOutcome
from found_footy.domain.tweets import find_video_position
from found_footy.platform.process.runner import ProcessLimits, ProcessOutcome, run_process

_CHILD_MODULE = "found_footy.clips.fetch.ytdlp.child"
_CHILD_LIMITS = ProcessLimits(memory=2**30, cpu_seconds=20, file_size=2**20, open_files=256)
_MAX_ANSWER_BYTES = 256 * 1024
_SERVER_ERROR = 500
# yt-dlp reports these only as text. The site throttles by sending empty or garbled answers.
_FAILURE_BY_MESSAGE = (
    ("no suitable extractor", FetchFailure(ClipOutcome.BAD_URL, "yt-dlp: the post leads elsewhere and has no video")),
    ("no video could be found", FetchFailure(ClipOutcome.BAD_URL, "yt-dlp: the post has no video")),
    ("is not a video", FetchFailure(ClipOutcome.BAD_URL, "yt-dlp: the post has no video at that place")),
    ("is unavailable", FetchFailure(ClipOutcome.BAD_URL, "yt-dlp: the post has no video at that place")),
    ("empty json", FetchFailure(ClipOutcome.DOWNLOAD_RATE_LIMITED, "yt-dlp: an empty answer", transient=True)),
    ("parse json", FetchFailure(ClipOutcome.DOWNLOAD_RATE_LIMITED, "yt-dlp: a garbled answer", transient=True)),
    ("timed out", FetchFailure(ClipOutcome.DOWNLOAD_TIMEOUT, "yt-dlp: no answer in time", transient=True)),
    (
        "unable to download",
        FetchFailure(ClipOutcome.DOWNLOAD_FAILED, "yt-dlp: the site is out of reach", transient=True),
    ),
)


def is_installed() -> bool:
    return find_spec("yt_dlp") is not None


class YtDlpLookup:
    def __init__(self, max_bytes: int, max_duration: timedelta, timeout: timedelta = timedelta(seconds=30)) -> None:
        self._max_bytes = max_bytes
        self._max_duration_seconds = max_duration.total_seconds()
        self._timeout = timeout

    async def fetch_variants(self, candidate: ClipCandidate) -> tuple[VideoVariant, ...] | FetchFailure:
        """The files of one video of a post; only the post's id, the position and two limits are passed to the
        process."""
        if not is_installed():
            return FetchFailure(ClipOutcome.DOWNLOAD_FAILED, "yt-dlp is not installed")
        question = {
            "tweet_id": candidate.tweet_id,
            "place": str(find_video_position(candidate.url) or ""),
            "max_bytes": self._max_bytes,
            "longest": self._max_duration_seconds,
        }
        child = await run_process(
            [sys.executable, "-P", "-m", _CHILD_MODULE],
            timeout=self._timeout,
            limits=_CHILD_LIMITS,
            stdin=json.dumps(question).encode(),
            max_output=_MAX_ANSWER_BYTES,
            environment=_child_environment(),
        )
        if child.outcome is ProcessOutcome.TIMED_OUT:
            text = f"yt-dlp: not done within {self._timeout.total_seconds():g} s"
            return FetchFailure(ClipOutcome.DOWNLOAD_TIMEOUT, text, transient=True)
        if not child.is_success:
            return FetchFailure(ClipOutcome.DOWNLOAD_FAILED, f"yt-dlp ended with {child.exit_code}")
        return parse_answer(json.loads(child.stdout))


def parse_answer(body: Any) -> tuple[VideoVariant, ...] | FetchFailure:
    """The files of the first video in the child's answer, or why there are none."""
    answer = parse_child_answer(body)
    if answer is None:
        return FetchFailure(ClipOutcome.DOWNLOAD_FAILED, "yt-dlp: its process gave no usable answer")
    if answer.is_failure:
        return _to_failure(answer.error, answer.status)
    files = answer.videos[0] if answer.videos else ()
    if not files:
        return FetchFailure(ClipOutcome.BAD_URL, "yt-dlp: no plain file")
    return tuple(file.to_variant() for file in files)


def _to_failure(message: str, status: int) -> FetchFailure:
    if status in THROTTLED_STATUSES:
        return FetchFailure(ClipOutcome.DOWNLOAD_RATE_LIMITED, f"yt-dlp: status {status}", transient=True)
    if status in GONE_STATUSES:
        return FetchFailure(ClipOutcome.DOWNLOAD_DELETED, f"yt-dlp: there is no such post (status {status})")
    known = (failure for part, failure in _FAILURE_BY_MESSAGE if part in message.lower())
    unknown = FetchFailure(ClipOutcome.DOWNLOAD_FAILED, f"yt-dlp: {message}", transient=status >= _SERVER_ERROR)
    return next(known, unknown)


def _child_environment() -> dict[str, str]:
    """No credentials, no proxies, no plug-ins; only what Python needs to import this package."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR", "PYTHONPATH") if name in os.environ}
    return {**kept, "YTDLP_NO_PLUGINS": "1", "MALLOC_ARENA_MAX": "1", "HOME": "/nonexistent"}
