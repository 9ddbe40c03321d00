"""The media of a post as X describes them, in the answers of its embed endpoint and of its search. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from found_footy.domain.messages import ClipCandidate, VideoVariant
from found_footy.domain.screening import infer_variant_size
from found_footy.domain.tweets import build_tweet_url, build_video_url
from found_footy.platform.wire import (
    HttpLink,
    Lenient,
    LenientItems,
    LenientObject,
    LenientText,
    WireModel,
    accept_if,
    take_first,
    truncate_to,
    use_default_if_invalid,
)

_MAX_VARIANTS = 20
_GIF = "animated_gif"
_AVAILABLE = ("", "Available")


def _parse_digits(value: Any) -> Any:
    """X writes some whole numbers as text."""
    is_number = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 20
    return int(value) if is_number else value


def _none_if_empty(value: Any) -> Any:
    return value or None


_WholeNumber = Annotated[int, BeforeValidator(_parse_digits)]

XHandle = Annotated[str, accept_if(re.compile(r"[A-Za-z0-9_]{1,20}").fullmatch), use_default_if_invalid("")]
"""The name of an account, empty if it is not one."""


class XVariant(WireModel):
    """One MP4 file. Playlists are left out: the download needs a single file."""

    content_type: Literal["video/mp4"]
    url: HttpLink
    bitrate: Annotated[_WholeNumber, Field(gt=0, lt=10**12), use_default_if_invalid(0)] = 0

    def to_variant(self) -> VideoVariant:
        return infer_variant_size(VideoVariant(self.url, self.bitrate))


class XVideoInfo(WireModel):
    duration_millis: Lenient[Annotated[_WholeNumber, Field(gt=0, lt=10**9)]] = None
    variants: Annotated[LenientItems[XVariant], take_first(_MAX_VARIANTS)] = ()


class XAvailability(WireModel):
    status: LenientText = ""
    reason: Annotated[LenientText, truncate_to(500)] = ""


class XMedia(WireModel):
    """One attachment of a post. A video whose description has an unknown form has no files here; they are looked up
    by another way.
    """

    type: LenientText = ""
    video_info: Annotated[LenientObject[XVideoInfo | None], BeforeValidator(_none_if_empty)] = None
    availability: LenientObject[XAvailability] = Field(XAvailability(), validation_alias="ext_media_availability")

    @property
    def playable_video(self) -> XVideoInfo | None:
        return self.video if self.availability.status in _AVAILABLE else None

    @property
    def video(self) -> XVideoInfo | None:
        """The video, also if it is not available."""
        return self.video_info if self.type in ("video", _GIF) else None


@dataclass(frozen=True)
class MediaPost:
    """A post that carries media. `site` is the base URL of its page."""

    site: str
    tweet_id: str
    author: str
    posted_at: datetime | None
    text: str
    media: Sequence[XMedia]

    @property
    def has_only_gifs(self) -> bool:
        """A GIF is a reaction to another video; it counts as a video only if there is no other."""
        return {media.type for media in self.media if media.playable_video} == {_GIF}

    def list_videos(self) -> tuple[ClipCandidate, ...]:
        url = build_tweet_url(self.site, self.author, self.tweet_id)
        playable = [(position, video) for position, one in enumerate(self.media, 1) if (video := one.playable_video)]
        return tuple(
            ClipCandidate(
                url=build_video_url(url, position, is_first=number == 0),
                tweet_id=self.tweet_id,
                author=self.author,
                posted_at=self.posted_at,
                duration_seconds=None if video.duration_millis is None else video.duration_millis / 1000,
                text=self.text,
                variants=tuple(variant.to_variant() for variant in video.variants),
            )
            for number, (position, video) in enumerate(playable)
        )
