"""yt-dlp as a last resort for the files of a post: an optional library, in a process that cannot outstay or spread."""

import json
import os
import re
import sys
from datetime import timedelta
from importlib.util import find_spec
from typing import Any

from found_footy.clips.fetch_refusal import Refusal
from found_footy.model.handoff import FoundVideo, VideoVariant
from found_footy.model.outcome import ClipOutcome
from found_footy.model.screening import with_size
from found_footy.platform.process import Ending, Limits, run

_CHILD = "found_footy.clips.ytdlp_child"
_LIMITS = Limits(memory=2**30, cpu_seconds=20, file_size=2**20, open_files=256)
_LONGEST_ANSWER = 256 * 1024
_PLACE = re.compile(r"/video/([1-4])/?$", re.ASCII)
_THROTTLED = (403, 429)
_GONE = (404, 410)
_SERVER_ERROR = 500
# Told only in words. An empty or garbled answer is how the site slows down who asks too often.
_BY_WORDS = (
    ("no suitable extractor", Refusal(ClipOutcome.BAD_URL, "yt-dlp: the post leads elsewhere and has no video")),
    ("no video could be found", Refusal(ClipOutcome.BAD_URL, "yt-dlp: the post has no video")),
    ("is not a video", Refusal(ClipOutcome.BAD_URL, "yt-dlp: the post has no video at that place")),
    ("is unavailable", Refusal(ClipOutcome.BAD_URL, "yt-dlp: the post has no video at that place")),
    ("empty json", Refusal(ClipOutcome.DOWNLOAD_RATE_LIMITED, "yt-dlp: an empty answer", passing=True)),
    ("parse json", Refusal(ClipOutcome.DOWNLOAD_RATE_LIMITED, "yt-dlp: a garbled answer", passing=True)),
    ("timed out", Refusal(ClipOutcome.DOWNLOAD_TIMEOUT, "yt-dlp: no answer in time", passing=True)),
    ("unable to download", Refusal(ClipOutcome.DOWNLOAD_FAILED, "yt-dlp: the site is out of reach", passing=True)),
)


def is_installed() -> bool:
    return find_spec("yt_dlp") is not None


class YtDlp:
    def __init__(self, max_bytes: int, longest: timedelta, limit: timedelta = timedelta(seconds=30)) -> None:
        self._max_bytes = max_bytes
        self._longest = longest.total_seconds()
        self._limit = limit

    async def variants(self, video: FoundVideo) -> tuple[VideoVariant, ...] | Refusal:
        """The files of one video of a post; nothing of it but two numbers leaves this process."""
        if not is_installed():
            return Refusal(ClipOutcome.DOWNLOAD_FAILED, "yt-dlp is not installed")
        place = _PLACE.search(video.url)
        question = {
            "tweet_id": video.tweet_id, "place": place[1] if place else "",
            "max_bytes": self._max_bytes, "longest": self._longest,
        }  # fmt: skip
        child = await run(
            [sys.executable, "-P", "-m", _CHILD],
            timeout=self._limit,
            limits=_LIMITS,
            stdin=json.dumps(question).encode(),
            max_output=_LONGEST_ANSWER,
            environment=_environment(),
        )
        if child.ending is Ending.TIMED_OUT:
            text = f"yt-dlp: not done within {self._limit.total_seconds():g} s"
            return Refusal(ClipOutcome.DOWNLOAD_TIMEOUT, text, passing=True)
        if not child.ok:
            return Refusal(ClipOutcome.DOWNLOAD_FAILED, f"yt-dlp ended with {child.code}")
        return read_answer(json.loads(child.stdout))


def read_answer(told: dict[str, Any]) -> tuple[VideoVariant, ...] | Refusal:
    """The files of the first video in the child's answer, or why there are none."""
    if "error" in told:
        return _refusal(told["error"], told["status"])
    files = [file for file in (told["videos"] or [[]])[0] if isinstance(file.get("url"), str)]
    if not files:
        return Refusal(ClipOutcome.BAD_URL, "yt-dlp: no plain file")
    return tuple(map(_variant, files))


def _variant(file: dict[str, Any]) -> VideoVariant:
    bitrate = 1_000 * _whole(file.get("tbr"))
    return with_size(VideoVariant(file["url"], bitrate, _whole(file.get("width")), _whole(file.get("height"))))


def _refusal(words: str, status: int) -> Refusal:
    if status in _THROTTLED:
        return Refusal(ClipOutcome.DOWNLOAD_RATE_LIMITED, f"yt-dlp: status {status}", passing=True)
    if status in _GONE:
        return Refusal(ClipOutcome.DOWNLOAD_DELETED, f"yt-dlp: there is no such post (status {status})")
    known = (refusal for part, refusal in _BY_WORDS if part in words.lower())
    unknown = Refusal(ClipOutcome.DOWNLOAD_FAILED, f"yt-dlp: {words}", passing=status >= _SERVER_ERROR)
    return next(known, unknown)


def _whole(value: Any) -> int:
    return int(value) if isinstance(value, int | float) and 0 < value < 10**9 else 0


def _environment() -> dict[str, str]:
    """No credentials, no proxies, no plug-ins; what Python needs to find us."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR", "PYTHONPATH") if name in os.environ}
    return {**kept, "YTDLP_NO_PLUGINS": "1", "MALLOC_ARENA_MAX": "1", "HOME": "/nonexistent"}
