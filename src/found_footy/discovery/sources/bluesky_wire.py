"""Bluesky's answers: posts with their videos, sessions, errors and rate limits. Pure."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from found_footy.platform.errors import Malformed
from found_footy.platform.http.client import HttpResponse
from found_footy.platform.http.retry_after import parse_retry_after
from found_footy.platform.wire import (
    IsoTime,
    Lenient,
    LenientItems,
    LenientObject,
    LenientText,
    ValidItems,
    WireModel,
    accept_if,
    parse_or_none,
    truncate_to,
    use_default_if_invalid,
)

SYSTEM = "Bluesky"
OK, BAD_REQUEST, TOO_MANY_REQUESTS = 200, 400, 429
REFUSED_STATUSES = (401, 403)
REFUSAL_COOLDOWN_SECONDS = 900.0
_DEFAULT_COOLDOWN_SECONDS = 60.0
_MAX_COOLDOWN_SECONDS = 3600.0
_MAX_TOKEN_LENGTH = 8_000
_GIF = "gif"
_DID = r"did:(?:plc:[a-z2-7]{24}|web:[A-Za-z0-9.%-]{1,200})"
_POST_URI = re.compile(rf"at://({_DID})/app\.bsky\.feed\.post/([A-Za-z0-9._~:-]{{1,60}})")


def _is_token(text: str) -> bool:
    """Whether the token can be sent in a header."""
    return 0 < len(text) <= _MAX_TOKEN_LENGTH and text.isascii() and text.isprintable() and " " not in text


_PostUri = Annotated[str, accept_if(_POST_URI.fullmatch)]
_Cid = Annotated[str, accept_if(re.compile(r"b[a-z2-7]{20,120}").fullmatch)]
_Token = Annotated[str, accept_if(_is_token)]
_ErrorName = Annotated[str, accept_if(re.compile(r"[A-Za-z]{1,60}").fullmatch), use_default_if_invalid("")]
_Dimension = Annotated[int, Field(gt=0, lt=100_000), use_default_if_invalid(0)]


class AspectRatio(WireModel):
    width: _Dimension = 0
    height: _Dimension = 0


class VideoView(WireModel):
    type: Literal["app.bsky.embed.video#view"] = Field(validation_alias="$type")
    cid: _Cid
    presentation: LenientText = ""
    aspect_ratio: LenientObject[AspectRatio] = Field(AspectRatio(), validation_alias="aspectRatio")

    @property
    def video(self) -> "VideoView | None":
        """GIFs are reactions, not clips."""
        return None if self.presentation == _GIF else self

    @property
    def quoted(self) -> "BlueskyQuote | None":
        return None


class MediaView(WireModel):
    """A video in a post that quotes another."""

    type: Literal["app.bsky.embed.recordWithMedia#view"] = Field(validation_alias="$type")
    media: Lenient[VideoView] = None

    @property
    def video(self) -> VideoView | None:
        return self.media.video if self.media else None


class PostRecord(WireModel):
    """What the author wrote."""

    text: LenientText = ""
    created_at: Lenient[IsoTime] = Field(None, validation_alias="createdAt")


class BlueskyAuthor(WireModel):
    handle: Annotated[LenientText, truncate_to(500)] = ""


class _ShownPost(WireModel):
    uri: Lenient[_PostUri] = None
    author: LenientObject[BlueskyAuthor] = BlueskyAuthor()
    indexed_at: Lenient[IsoTime] = Field(None, validation_alias="indexedAt")

    @property
    def repository_and_key(self) -> tuple[str, str] | None:
        """The author's repository and the post's key in it."""
        found = _POST_URI.fullmatch(self.uri or "")
        return (found[1], found[2]) if found else None


class BlueskyQuote(_ShownPost):
    """A quoted post that is neither deleted nor hidden. What it quotes itself is not read."""

    type: Literal["app.bsky.embed.record#viewRecord"] = Field(validation_alias="$type")
    record: LenientObject[PostRecord] = Field(PostRecord(), validation_alias="value")
    embeds: LenientItems[Annotated[VideoView | MediaView, Field(discriminator="type")]] = ()

    @property
    def video(self) -> VideoView | None:
        return next(filter(None, (embed.video for embed in self.embeds)), None)


class QuotedRecord(WireModel):
    record: Lenient[BlueskyQuote] = None


class RecordView(QuotedRecord):
    type: Literal["app.bsky.embed.record#view"] = Field(validation_alias="$type")

    @property
    def video(self) -> None:
        return None

    @property
    def quoted(self) -> BlueskyQuote | None:
        return self.record


class RecordWithMediaView(MediaView):
    record: LenientObject[QuotedRecord] = QuotedRecord()

    @property
    def quoted(self) -> BlueskyQuote | None:
        return self.record.record


class PostView(_ShownPost):
    record: LenientObject[PostRecord] = PostRecord()
    embed: Lenient[Annotated[VideoView | RecordView | RecordWithMediaView, Field(discriminator="type")]] = None

    @property
    def video(self) -> VideoView | None:
        return self.embed.video if self.embed else None

    @property
    def quoted(self) -> BlueskyQuote | None:
        return self.embed.quoted if self.embed else None


class PostSearchAnswer(WireModel):
    posts: ValidItems[PostView]


class PostThread(WireModel):
    post: Any = None

    @property
    def has_post(self) -> bool:
        return "post" in self.model_fields_set


class PostThreadAnswer(WireModel):
    thread: LenientObject[PostThread] = PostThread()


class DidService(WireModel):
    type: LenientText = ""
    endpoint: LenientText = Field("", validation_alias="serviceEndpoint")


class DidDocument(WireModel):
    service: LenientItems[DidService] = ()


class SessionAnswer(WireModel):
    access_jwt: _Token = Field(validation_alias="accessJwt", repr=False)
    refresh_jwt: _Token = Field(validation_alias="refreshJwt", repr=False)
    did_document: LenientObject[DidDocument] = Field(DidDocument(), validation_alias="didDoc")


class BlueskyError(WireModel):
    error: _ErrorName = ""


def parse_post_list(body: Any) -> tuple[PostView, ...]:
    answer = parse_or_none(PostSearchAnswer, body)
    if answer is None:
        raise Malformed(SYSTEM, "the answer has no list of posts")
    return answer.posts


def parse_thread(body: Any) -> PostThread:
    answer = parse_or_none(PostThreadAnswer, body)
    if answer is None:
        raise Malformed(SYSTEM, "the answer is not an object")
    return answer.thread


def parse_session(body: Any) -> SessionAnswer:
    answer = parse_or_none(SessionAnswer, body)
    if answer is None:
        raise Malformed(SYSTEM, "the session has no tokens")
    return answer


def error_name(answer: HttpResponse) -> str:
    """The error's name; its message is not repeated, since it may contain anything."""
    try:
        body = parse_or_none(BlueskyError, answer.json())
    except Malformed:
        return ""
    return body.error if body else ""


def parse_rate_limit_wait(headers: Mapping[str, str], now: datetime) -> float:
    """The seconds to wait after a rate limit: by Retry-After, else until the end of the window that Bluesky names."""
    reset = headers.get("ratelimit-reset", "")
    wait = _DEFAULT_COOLDOWN_SECONDS
    if reset.isdecimal() and len(reset) < 12:
        wait = min(max(int(reset) - now.timestamp(), 1.0), _MAX_COOLDOWN_SECONDS)
    return parse_retry_after(headers, now, default=wait, max_seconds=_MAX_COOLDOWN_SECONDS)
