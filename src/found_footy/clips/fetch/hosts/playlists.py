"""Reads HLS playlists of clip hosts: which file has the best picture, and which its sound. Pure."""

import itertools
import re
from dataclasses import dataclass

from found_footy.clips.fetch.hosts.addresses import is_mp4_address, join_address
from found_footy.clips.fetch.variants import MAX_LINES

_MAX_PLAYLIST_LINES = 5_000
_ATTRIBUTE = re.compile(r'([A-Z0-9-]+)=("[^"]*"|[^",]*)')


@dataclass(frozen=True)
class ListedStream:
    """A picture of a main playlist: the addresses of its own playlist and of that of its sound, if it has one."""

    playlist: str
    sound_playlist: str
    bitrate: int
    width: int
    height: int


def read_main_playlist(text: str, address: str) -> ListedStream | None:
    """The best picture up to 1080 lines; None if the text is no main playlist or has none."""
    lines = _read_lines(text)
    if lines is None:
        return None
    sounds = {
        given.get("GROUP-ID", ""): join_address(address, given["URI"])
        for line in lines
        if line.startswith("#EXT-X-MEDIA:") and (given := _read_attributes(line)).get("TYPE") == "AUDIO"
        if given.get("URI")
    }
    streams = []
    for line, following in itertools.pairwise(lines):
        if line.startswith("#EXT-X-STREAM-INF:") and not following.startswith("#"):
            given = _read_attributes(line)
            width, _, height = given.get("RESOLUTION", "").partition("x")
            sound = sounds.get(given.get("AUDIO", ""), "")
            bitrate = _read_count(given.get("BANDWIDTH", ""))
            streams.append(
                ListedStream(join_address(address, following), sound, bitrate, _read_count(width), _read_count(height))
            )
    fitting = [stream for stream in streams if stream.playlist and stream.height <= MAX_LINES]
    return max(fitting, key=lambda stream: (stream.height, stream.bitrate), default=None)


def read_stream_file(text: str, address: str) -> str | None:
    """The MP4 whose parts a playlist lists; None if it lists several files or another format."""
    lines = _read_lines(text)
    if lines is None:
        return None
    files = {join_address(address, line) for line in lines if not line.startswith("#")}
    file = next(iter(files), "") if len(files) == 1 else ""
    return file if is_mp4_address(file) else None


def _read_lines(text: str) -> list[str] | None:
    lines = [line.strip() for line in text.splitlines()[:_MAX_PLAYLIST_LINES]]
    return [line for line in lines if line] if lines and lines[0] == "#EXTM3U" else None


def _read_attributes(line: str) -> dict[str, str]:
    return {name: value.strip('"') for name, value in _ATTRIBUTE.findall(line.partition(":")[2])}


def _read_count(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0
