"""Finds the video file in the answers of clip hosts: pages, lists of files, DASH manifests. Pure."""

from html.parser import HTMLParser
from typing import Annotated, Any
from xml.etree import ElementTree

from pydantic import Field

from found_footy.clips.fetch.hosts.addresses import is_mp4_address, join_address
from found_footy.clips.fetch.variants import MAX_LINES
from found_footy.domain.messages import VideoVariant
from found_footy.platform.safe_xml import parse_xml
from found_footy.platform.wire import (
    HttpLink,
    Lenient,
    LenientValues,
    ValidItems,
    WireModel,
    parse_or_none,
    take_first,
)

_META_NAMES = ("og:video:secure_url", "og:video:url", "og:video", "twitter:player:stream")
_MPD = "{urn:mpeg:dash:schema:mpd:2011}"
_STREAMABLE_READY = 2
_MAX_LISTED = 5


class _VideoAddresses(HTMLParser):
    """Collects addresses of a page by where they stand. Addresses in `data-preview-…` show other clips."""

    def __init__(self) -> None:
        super().__init__()
        self.meta: dict[str, str] = {}
        self.media: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        if tag == "meta":
            name = given.get("property") or given.get("name") or ""
            self.meta.setdefault(name, given.get("content", ""))
        elif tag in ("video", "source"):
            self.media += [given[name] for name in ("src", "data-link", "data-src") if name in given]


def find_page_video(page: str, address: str) -> str | None:
    """The address of the MP4 that a page shows: what it tells other sites to show, else its first video element."""
    found = _VideoAddresses()
    found.feed(page)
    told = [found.meta[name] for name in _META_NAMES if name in found.meta]
    addresses = (join_address(address, text).partition("#")[0] for text in (*told, *found.media))
    return next((each for each in addresses if is_mp4_address(each)), None)


class _ListedFile(WireModel):
    external_url: HttpLink


class _FileList(WireModel):
    files: Annotated[ValidItems[_ListedFile], take_first(_MAX_LISTED)]


def read_file_list(body: Any) -> tuple[str, ...] | None:
    """The addresses of a list of files, empty for a clip that is gone; None if the answer is no list."""
    listed = parse_or_none(_FileList, {"files": body})
    return None if listed is None else tuple(one.external_url for one in listed.files)


class _StreamableFile(WireModel):
    url: Lenient[str] = None


class _StreamableVideo(WireModel):
    status: int
    files: LenientValues[_StreamableFile] = Field(default_factory=dict)


def read_streamable(body: Any) -> tuple[str | None, bool] | None:
    """The file of a clip on Streamable, and whether it may still come; None if the answer is not understood."""
    video = parse_or_none(_StreamableVideo, body)
    if video is None:
        return None
    file = video.files.get("mp4")
    address = (join_address("https://streamable.com", file.url) or None) if file and file.url else None
    return (address if video.status == _STREAMABLE_READY else None), video.status < _STREAMABLE_READY


def read_manifest(body: bytes, address: str) -> VideoVariant | None:
    """The best picture of a DASH manifest up to 1080 lines, with its sound; None if it is not understood."""
    root = parse_xml(body)
    if root is None:
        return None
    tracks = [track for group in root.iter(f"{_MPD}AdaptationSet") for track in _read_tracks(group, address)]
    pictures = [track for track in tracks if track[0] == "video" and track[1].height <= MAX_LINES]
    sounds = [track for track in tracks if track[0] == "audio"]
    if not pictures:
        return None
    best = max(pictures, key=lambda track: (track[1].height, track[1].bitrate))[1]
    sound = max(sounds, key=lambda track: track[1].bitrate)[1].url if sounds else ""
    return VideoVariant(best.url, best.bitrate, best.width, best.height, sound)


def _read_tracks(group: ElementTree.Element, address: str) -> list[tuple[str, VideoVariant]]:
    tracks = []
    for track in group.iter(f"{_MPD}Representation"):
        name = track.findtext(f"{_MPD}BaseURL")
        kind = (track.get("mimeType") or group.get("mimeType") or group.get("contentType") or "").partition("/")[0]
        if name and (file := join_address(address, name)):
            width, height = _read_count(track.get("width")), _read_count(track.get("height"))
            bitrate = _read_count(track.get("bandwidth"))
            tracks.append((kind, VideoVariant(file, bitrate, width, height)))
    return tracks


def _read_count(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 12 else 0
