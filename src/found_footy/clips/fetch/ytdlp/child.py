"""Looks up the files of one post with yt-dlp: `python -m found_footy.clips.fetch.ytdlp.child`, JSON in and out.

It runs as a separate process, so that it can be killed at any time. It downloads no video: it only returns URLs,
which are then fetched like all others, under the egress rules. The options are fixed here; only two numbers of the
request reach them, and the URL is built from digits.
"""

import importlib
import json
import re
import sys
import tempfile
from typing import Any

from found_footy.domain.tweets import X_SITE, build_tweet_url, build_video_url, is_tweet_id

_VIDEO_INDEX = re.compile(r"[1-4]", re.ASCII)
_MAX_FORMATS = 12
_MAX_ERROR_LENGTH = 300


class SilentLogger:
    """A logger that discards yt-dlp's messages: errors are raised."""

    def debug(self, message: str) -> None: ...
    def info(self, message: str) -> None: ...
    def warning(self, message: str) -> None: ...
    def error(self, message: str) -> None: ...


def build_options(max_bytes: int, max_duration: float) -> dict[str, Any]:
    """One extractor, no account, no files, no programs, no plug-ins, few attempts."""
    match_filter = importlib.import_module("yt_dlp.utils").match_filter_func(f"duration <? {max_duration:g}")
    return {
        "allowed_extractors": ["twitter"],
        "extractor_args": {"twitter": {"api": ["syndication"]}},
        "noplaylist": True,
        "playlist_items": "1:4",
        "format": "b[ext=mp4]/b",
        "max_filesize": max_bytes,
        "match_filter": match_filter,
        "socket_timeout": 15,
        "retries": 2,
        "fragment_retries": 2,
        "extractor_retries": 1,
        "paths": {"home": tempfile.gettempdir()},
        "outtmpl": "%(id)s.%(ext)s",
        "restrictfilenames": True,
        "overwrites": True,
        "cachedir": False,
        "skip_download": True,
        "writethumbnail": False,
        "writesubtitles": False,
        "writeinfojson": False,
        "quiet": True,
        "no_warnings": True,
        "noprogress": True,
        "logger": SilentLogger(),
        "proxy": "",
    }


def build_url(tweet_id: str, place: str) -> str:
    if not is_tweet_id(tweet_id) or not (place == "" or _VIDEO_INDEX.fullmatch(place)):
        raise ValueError("not a post id and the position of a video")
    url = build_tweet_url(X_SITE, "", tweet_id)
    return build_video_url(url, int(place), is_first=False) if place else url


def list_videos(info: Any) -> list[list[dict[str, Any]]]:
    """The plain MP4 files of each video."""
    entries = info.get("entries") or [info]
    return [_list_mp4_files(entry.get("formats") or []) for entry in entries if isinstance(entry, dict)]


def _list_mp4_files(formats: Any) -> list[dict[str, Any]]:
    plain = [one for one in formats if one.get("protocol") in ("https", "http") and one.get("ext") == "mp4"]
    return [{name: one.get(name) for name in ("url", "tbr", "width", "height")} for one in plain[:_MAX_FORMATS]]


def describe_failure(error: Exception) -> dict[str, Any]:
    """yt-dlp's message, and the HTTP status behind it if there was one."""
    inner = getattr(error, "exc_info", None) or (None, None)
    status = getattr(getattr(inner[1], "cause", None), "status", None)
    return {"error": str(error)[:_MAX_ERROR_LENGTH], "status": status if isinstance(status, int) else 0}


def answer_question(question: dict[str, Any]) -> dict[str, Any]:
    library = importlib.import_module("yt_dlp")
    with library.YoutubeDL(build_options(int(question["max_bytes"]), float(question["longest"]))) as asked:
        try:
            url = build_url(str(question["tweet_id"]), str(question["place"]))
            return {"videos": list_videos(asked.extract_info(url, download=False) or {})}
        except library.utils.YoutubeDLError as error:
            return describe_failure(error)


def main() -> None:
    sys.stdout.write(json.dumps(answer_question(json.load(sys.stdin))))


if __name__ == "__main__":
    main()
