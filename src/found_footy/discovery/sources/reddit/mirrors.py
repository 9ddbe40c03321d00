"""Reads mirrors of a goal's clip from the comments of its post: replies to the pinned comment, and comments that call
themselves mirrors. Pure.
"""

import re
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import Field

from found_footy.platform.wire import (
    Lenient,
    LenientItems,
    LenientObject,
    LenientText,
    WireModel,
    parse_or_none,
    truncate_to,
)

MAX_MIRRORS = 4
_MAX_BODY = 2_000
_WORD = re.compile(r"(?<!\w)(?:mirrors?|aa|alternat(?:e|ive)|angles?|replays?)(?!\w)", re.IGNORECASE)
_LINK = re.compile(r"https://[^\s()\[\]<>\"'*]{4,300}")
# Sites that are linked to in comments and host no clips of their own.
_NO_HOSTS = (
    "reddit.com",
    "i.redd.it",
    "preview.redd.it",
    "x.com",
    "twitter.com",
    "youtube.com",
    "youtu.be",
    "imgur.com",
)


class _Reply(WireModel):
    body: Annotated[LenientText, truncate_to(_MAX_BODY)] = ""


class _ReplyChild(WireModel):
    kind: LenientText = ""
    data: LenientObject[_Reply] = Field(default_factory=_Reply)


class _ReplyData(WireModel):
    children: LenientItems[_ReplyChild] = ()


class _ReplyListing(WireModel):
    data: LenientObject[_ReplyData] = Field(default_factory=_ReplyData)


class _Comment(_Reply):
    """`replies` is an empty text where there are none."""

    stickied: Lenient[bool] = None
    replies: LenientObject[_ReplyListing] = Field(default_factory=_ReplyListing)


class _CommentChild(WireModel):
    kind: LenientText = ""
    data: LenientObject[_Comment] = Field(default_factory=_Comment)


class _CommentData(WireModel):
    children: LenientItems[_CommentChild] = ()


class _CommentListing(WireModel):
    data: _CommentData


def read_mirrors(body: Any) -> tuple[str, ...] | None:
    """Links to other copies of the clip, those of the pinned comment first; None if the answer is no thread."""
    listings = body[1:2] if isinstance(body, list) else []
    listing = parse_or_none(_CommentListing, listings[0]) if listings else None
    if listing is None:
        return None
    top = [child.data for child in listing.data.children if child.kind == "t1"]
    pinned = [reply.data for one in top if one.stickied for reply in one.replies.data.children if reply.kind == "t1"]
    named = [one for one in top if not one.stickied and _WORD.search(one.body)]
    links = [found.rstrip(".,;:!?") for comment in (*pinned, *named) for found in _LINK.findall(comment.body)]
    return tuple(dict.fromkeys(link for link in links if _may_host(link)))[:MAX_MIRRORS]


def _may_host(link: str) -> bool:
    try:
        host = urlsplit(link).hostname or ""
    except ValueError:
        return False
    return bool(host) and not any(host == name or host.endswith(f".{name}") for name in _NO_HOSTS)
