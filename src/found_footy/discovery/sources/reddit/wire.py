"""Wire forms of Reddit: listings of its API, Atom feeds, and what its refusals look like."""

import html
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Literal
from xml.etree import ElementTree

from pydantic import Field, ValidationError

from found_footy.discovery.sources.errors import AuthFailed, Blocked
from found_footy.discovery.sources.reddit.mirrors import read_mirrors
from found_footy.discovery.sources.reddit.posts import PostPage, RedditPost
from found_footy.platform.errors import ExternalSystemError, Malformed, RateLimited, Unavailable
from found_footy.platform.http.client import HttpResponse
from found_footy.platform.http.retry_after import parse_retry_after
from found_footy.platform.safe_xml import parse_xml
from found_footy.platform.wire import (
    CleanText,
    HttpLink,
    Lenient,
    LenientItems,
    LenientObject,
    LenientText,
    ValidItems,
    WireModel,
    accept_if,
    describe_validation_error,
    parse_or_none,
    truncate_to,
)

SYSTEM = "Reddit"
OK = 200
UNAUTHORIZED = 401
FORBIDDEN = 403
TOO_MANY_REQUESTS = 429
_SERVER_ERROR = 500
_REDIRECTS = range(300, 400)
DEFAULT_WAIT_SECONDS = 60.0
_MAX_WAIT_SECONDS = 3600.0
_MAX_ENTRIES = 200
# A page of a hundred lacks the posts that were removed; one this short is the last.
_LEAST_FULL_PAGE = 50
_ATOM = "{http://www.w3.org/2005/Atom}"
_FEED_LINK = re.compile(r'<a href="([^"]{1,2000})">\[link\]</a>')
_POST_ID = re.compile(r"[a-z0-9]{1,12}")
_TITLE_LENGTH = 300
# In the year 9999; later ones are no dates.
_LATEST_SECOND = 250_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_AUTHOR_LENGTH = 60

PostId = Annotated[str, accept_if(_POST_ID.fullmatch)]


class _Video(WireModel):
    width: Lenient[int] = None
    height: Lenient[int] = None
    duration: Lenient[float] = None


class _Media(WireModel):
    reddit_video: LenientObject[_Video] = Field(default_factory=_Video)


class _CrosspostParent(WireModel):
    url: Lenient[HttpLink] = None
    destination: Annotated[Lenient[HttpLink], Field(alias="url_overridden_by_dest")] = None


class _PostData(WireModel):
    id: PostId
    title: Annotated[CleanText, truncate_to(_TITLE_LENGTH)]
    author: Annotated[LenientText, truncate_to(_AUTHOR_LENGTH)] = ""
    created_utc: Annotated[float, Field(ge=0, le=_LATEST_SECOND)]
    url: Lenient[HttpLink] = None
    destination: Annotated[Lenient[HttpLink], Field(alias="url_overridden_by_dest")] = None
    flair: Annotated[LenientText, Field(alias="link_flair_text")] = ""
    is_self: Lenient[bool] = None
    is_robot_indexable: Lenient[bool] = None
    removed_by_category: Lenient[str] = None
    secure_media: LenientObject[_Media] = Field(default_factory=_Media)
    crossposts: Annotated[LenientItems[_CrosspostParent], Field(alias="crosspost_parent_list")] = ()


class _Child(WireModel):
    kind: Literal["t3"]
    data: _PostData


class _ListingData(WireModel):
    children: ValidItems[_Child]
    after: Lenient[str] = None


class _Listing(WireModel):
    kind: Literal["Listing"]
    data: _ListingData


class AccessTokenReply(WireModel):
    """The answer to a request for a token. A refused grant arrives with status 200 and without a token."""

    access_token: Annotated[str, Field(min_length=1, max_length=4000)]
    expires_in: Annotated[float, Field(gt=0)] = 3600.0


def parse_token(answer: HttpResponse) -> AccessTokenReply:
    if answer.status != OK:
        raise parse_refusal(answer)
    token = parse_or_none(AccessTokenReply, answer.json())
    if token is None:
        raise AuthFailed(SYSTEM, "the key is refused: no token was given")
    return token


def parse_listing(answer: HttpResponse) -> PostPage:
    """A page of the API, empty beyond the oldest post."""
    _raise_unless_ok(answer, wanted="json")
    try:
        listing = _Listing.model_validate(answer.json())
    except ValidationError as error:
        raise Malformed(SYSTEM, f"not a list of posts: {describe_validation_error(error)}") from error
    posts = tuple(_to_post(child.data) for child in listing.data.children)
    return PostPage(posts, listing.data.after, parse_pause(answer.headers))


def parse_mirrors(answer: HttpResponse) -> tuple[str, ...]:
    """Links to other copies of a clip in the comments of its post."""
    _raise_unless_ok(answer, wanted="json")
    mirrors = read_mirrors(answer.json())
    if mirrors is None:
        raise Malformed(SYSTEM, "not the comments of a post")
    return mirrors


def parse_feed(answer: HttpResponse) -> PostPage:
    """A page of the Atom feed. It has no flair, no measures and no mark of removed posts."""
    _raise_unless_ok(answer, wanted="xml")
    root = parse_xml(answer.body)
    if root is None:
        raise Malformed(SYSTEM, "the feed is not XML, or declares a document type")
    if root.tag != f"{_ATOM}feed":
        raise Malformed(SYSTEM, "the answer is XML, but no Atom feed")
    entries = root.findall(f"{_ATOM}entry")[:_MAX_ENTRIES]
    posts = tuple(post for entry in entries if (post := _read_entry(entry)) is not None)
    if entries and not posts:
        raise Malformed(SYSTEM, "no entry of the feed can be read")
    after = f"t3_{posts[-1].id}" if len(posts) >= _LEAST_FULL_PAGE else None
    return PostPage(posts, after, parse_pause(answer.headers))


def parse_pause(headers: Mapping[str, str]) -> float:
    """Seconds until the budget is renewed, if it is spent."""
    remaining, reset = _read_number(headers, "x-ratelimit-remaining"), _read_number(headers, "x-ratelimit-reset")
    return min(reset or 0.0, _MAX_WAIT_SECONDS) if remaining is not None and remaining < 1 else 0.0


def parse_refusal(answer: HttpResponse) -> ExternalSystemError:
    """The error that a status other than 200 means."""
    status = answer.status
    if status == TOO_MANY_REQUESTS:
        reset = _read_number(answer.headers, "x-ratelimit-reset") or DEFAULT_WAIT_SECONDS
        wait = parse_retry_after(answer.headers, _EPOCH, default=reset, max_seconds=_MAX_WAIT_SECONDS)
        return RateLimited(SYSTEM, "too many requests", wait)
    if is_key_refused(answer):
        return AuthFailed(SYSTEM, f"the key is refused, or the subreddit is closed to it (status {status})")
    if status == FORBIDDEN or status in _REDIRECTS:
        return Blocked(SYSTEM, f"this address or program is refused (status {status})")
    if status >= _SERVER_ERROR:
        return Unavailable(SYSTEM, f"status {status}")
    return Malformed(SYSTEM, f"unexpected status {status}")


def is_key_refused(answer: HttpResponse) -> bool:
    """A token that ended or was revoked is answered with 401 or 403; a wall has a page for people."""
    return answer.status == UNAUTHORIZED or (answer.status == FORBIDDEN and _is_json(answer))


def _raise_unless_ok(answer: HttpResponse, *, wanted: str) -> None:
    if answer.status != OK:
        raise parse_refusal(answer)
    if _is_html(answer):
        raise Blocked(SYSTEM, f"a page for people came instead of {wanted}: a wall, or a log-in is wanted")


def require_posts(page: PostPage) -> PostPage:
    """Blocked if the newest page is empty."""
    if not page.posts:
        raise Blocked(SYSTEM, "the list of new posts is empty, which it never is")
    return page


def _to_post(data: _PostData) -> RedditPost:
    parent = data.crossposts[0] if data.crossposts else _CrosspostParent()
    video = data.secure_media.reddit_video
    link = parent.destination or parent.url or data.destination or data.url or ""
    return RedditPost(
        data.id,
        data.title,
        data.author,
        datetime.fromtimestamp(data.created_utc, UTC),
        "" if data.is_self else link,
        data.flair.rpartition(": ")[2],
        _is_removed(data),
        video.duration,
        video.width or 0,
        video.height or 0,
    )


def _is_removed(data: _PostData) -> bool:
    return bool(data.removed_by_category) or data.is_robot_indexable is False or data.author == "[deleted]"


def _read_entry(entry: ElementTree.Element) -> RedditPost | None:
    post_id = (entry.findtext(f"{_ATOM}id") or "").removeprefix("t3_")
    title, published = entry.findtext(f"{_ATOM}title"), entry.findtext(f"{_ATOM}published")
    if not _POST_ID.fullmatch(post_id) or not title or not published:
        return None
    try:
        created_at = datetime.fromisoformat(published)
    except ValueError:
        return None
    author = (entry.findtext(f"{_ATOM}author/{_ATOM}name") or "").removeprefix("/u/")
    found = _FEED_LINK.search(entry.findtext(f"{_ATOM}content") or "")
    link = html.unescape(found[1]) if found else ""
    is_own_page = f"/comments/{post_id}" in link
    shown = "" if is_own_page or not link.startswith(("https://", "http://")) else link
    return RedditPost(post_id, title[:_TITLE_LENGTH], author[:_AUTHOR_LENGTH], _to_utc(created_at), shown)


def _to_utc(moment: datetime) -> datetime:
    """A moment whose zone leads beyond the calendar is taken as it is."""
    try:
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except OverflowError:
        return moment.replace(tzinfo=UTC)


def _is_html(answer: HttpResponse) -> bool:
    start = answer.body[:200].lstrip().lower()
    return "text/html" in answer.headers.get("content-type", "") or start.startswith((b"<!doctype html", b"<html"))


def _is_json(answer: HttpResponse) -> bool:
    return "json" in answer.headers.get("content-type", "") or answer.body.lstrip()[:1] in (b"{", b"[")


def _read_number(headers: Mapping[str, str], name: str) -> float | None:
    try:
        value = float(headers.get(name, ""))
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None
