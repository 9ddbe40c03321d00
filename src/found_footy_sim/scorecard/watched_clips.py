"""What somebody who watches the page got of each published clip."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class WatchedClip:
    """A clip as it was fetched from the page and decoded; `fault` says why it could not be watched."""

    clip_id: str
    md5: str = ""
    frames: int = 0
    fault: str = ""


WatchedClips = Mapping[str, WatchedClip]


def find_watch_fault(watched: WatchedClips | None, clip_id: str) -> str:
    """Why a published clip cannot be watched. Where nobody watched, the records are believed."""
    if watched is None:
        return ""
    seen = watched.get(clip_id)
    return "the page does not offer it" if seen is None else seen.fault
