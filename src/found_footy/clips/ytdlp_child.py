"""Asks yt-dlp for the files of one post: `python -m found_footy.clips.ytdlp_child`, question and answer as JSON.

A process of its own, so that it can be ended at any time. It downloads no video: it only tells the addresses, which
are then fetched like all others, under our own rules. The options are fixed here; nothing of a question reaches them
but two numbers, and its address is built from digits.
"""

import importlib
import json
import re
import sys
import tempfile
from typing import Any

_ID = re.compile(r"[0-9]{15,20}", re.ASCII)
_PLACE = re.compile(r"[1-4]", re.ASCII)
_MOST_FORMATS = 12
_LONGEST_WORD = 300


class Silent:
    """yt-dlp's log, which goes nowhere: what matters is raised."""

    def debug(self, message: str) -> None: ...
    def info(self, message: str) -> None: ...
    def warning(self, message: str) -> None: ...
    def error(self, message: str) -> None: ...


def options(max_bytes: int, longest: float) -> dict[str, Any]:
    """One extractor, no account, no files, no programs, no plug-ins, few tries."""
    match_filter = importlib.import_module("yt_dlp.utils").match_filter_func(f"duration <? {longest:g}")
    return {
        "allowed_extractors": ["twitter"],
        "extractor_args": {"twitter": {"api": ["syndication"]}},
        "noplaylist": True, "playlist_items": "1:4", "format": "b[ext=mp4]/b",
        "max_filesize": max_bytes, "match_filter": match_filter,
        "socket_timeout": 15, "retries": 2, "fragment_retries": 2, "extractor_retries": 1,
        "paths": {"home": tempfile.gettempdir()}, "outtmpl": "%(id)s.%(ext)s", "restrictfilenames": True,
        "overwrites": True, "cachedir": False, "skip_download": True,
        "writethumbnail": False, "writesubtitles": False, "writeinfojson": False,
        "quiet": True, "no_warnings": True, "noprogress": True, "logger": Silent(), "proxy": "",
    }  # fmt: skip


def address(tweet_id: str, place: str) -> str:
    if not _ID.fullmatch(tweet_id) or not (place == "" or _PLACE.fullmatch(place)):
        raise ValueError("not the number of a post and the place of a video")
    return f"https://x.com/i/status/{tweet_id}" + (f"/video/{place}" if place else "")


def videos(info: Any) -> list[list[dict[str, Any]]]:
    """Per video, its plain MP4 files."""
    entries = info.get("entries") or [info]
    return [_files(entry.get("formats") or []) for entry in entries if isinstance(entry, dict)]


def _files(formats: Any) -> list[dict[str, Any]]:
    plain = [one for one in formats if one.get("protocol") in ("https", "http") and one.get("ext") == "mp4"]
    return [{name: one.get(name) for name in ("url", "tbr", "width", "height")} for one in plain[:_MOST_FORMATS]]


def failure(error: Exception) -> dict[str, Any]:
    """What went wrong: yt-dlp's words, and the status of the answer behind them if there was one."""
    inner = getattr(error, "exc_info", None) or (None, None)
    status = getattr(getattr(inner[1], "cause", None), "status", None)
    return {"error": str(error)[:_LONGEST_WORD], "status": status if isinstance(status, int) else 0}


def answer(question: dict[str, Any]) -> dict[str, Any]:
    library = importlib.import_module("yt_dlp")
    with library.YoutubeDL(options(int(question["max_bytes"]), float(question["longest"]))) as asked:
        try:
            url = address(str(question["tweet_id"]), str(question["place"]))
            return {"videos": videos(asked.extract_info(url, download=False) or {})}
        except library.utils.YoutubeDLError as error:
            return failure(error)


def main() -> None:
    sys.stdout.write(json.dumps(answer(json.load(sys.stdin))))


if __name__ == "__main__":
    main()
