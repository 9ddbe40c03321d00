"""Which of the found videos an attempt takes, and how far back it looks."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from found_footy.discovery.retries import Links
from found_footy.model.handoff import FoundVideo
from found_footy.model.screening import Objection, Rules, is_told, told_objection

# Most links that are recorded with a goal.
MOST_LINKS = 300
# What a video may carry from step to step; posts have six files at most, and their addresses are short.
_MOST_VARIANTS = 8
LONGEST_URL = 500
_LONGEST_AUTHOR = 100


@dataclass(frozen=True)
class Selection:
    """`taken` go to the download, `again` with them; `left` are recorded for later, `refused` with the rule that what
    was told of them breaks.
    """

    taken: tuple[FoundVideo, ...] = ()
    again: tuple[FoundVideo, ...] = ()
    left: tuple[FoundVideo, ...] = ()
    refused: tuple[tuple[FoundVideo, Objection], ...] = ()

    @property
    def videos(self) -> tuple[FoundVideo, ...]:
        return (*self.taken, *self.again)


def select(videos: Iterable[FoundVideo], links: Links, most: int, rules: Rules) -> Selection:
    """Take the `most` best of what was found now or left by an earlier search: those that are known to suit the rules
    first, the longest among them. At most as many again are taken that an earlier attempt came to no verdict on.
    """
    known = set(links.known)
    fresh = {video.url: video for video in videos if video.url not in known}
    objections = {url: told_objection(video, rules) for url, video in fresh.items()}
    suiting = [video for url, video in fresh.items() if objections[url] is None]
    ranked = sorted((*suiting, *links.left), key=_usefulness)
    taken, rest = tuple(ranked[:most]), [video for video in ranked[most:] if video.url not in known]
    refused = [(fresh[url], why) for url, why in objections.items() if why is not None]
    room = max(MOST_LINKS - len(known) - most, 0)
    return Selection(
        taken, links.again[:most], tuple(rest[:room]), tuple(refused[: max(room - len(rest), 0)])
    )  # fmt: skip


def _usefulness(video: FoundVideo) -> tuple[bool, float, str]:
    """A length that nobody told counts as none."""
    return (not is_told(video), -(video.duration_seconds or 0), video.url)


def posted_since(videos: Iterable[FoundVideo], earliest: datetime) -> tuple[FoundVideo, ...]:
    """Without those that were posted before: a source may look back farther than it was asked to. A post that does not
    tell its time stays.
    """
    return tuple(video for video in videos if video.posted_at is None or video.posted_at >= earliest)


def carried(video: FoundVideo) -> FoundVideo:
    """What of a video goes from step to step: bounded, and without the text, which only the search needs."""
    files = tuple(one for one in video.variants if len(one.url) <= LONGEST_URL)[:_MOST_VARIANTS]
    return replace(video, author=video.author[:_LONGEST_AUTHOR], text="", variants=files)
