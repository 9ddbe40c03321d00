"""The embed endpoint's answer about a post. No field is required: what is invalid is read as missing. Pure."""

from typing import Annotated

from pydantic import Field

from found_footy.domain.tweets import X_SITE, is_tweet_id
from found_footy.platform.wire import (
    IsoTime,
    Lenient,
    LenientItems,
    LenientObject,
    LenientPositionedItems,
    LenientText,
    WireModel,
    take_first,
    truncate_to,
)
from found_footy.x_media import MediaPost, XHandle, XMedia

_MAX_MEDIA = 4

_Text = Annotated[LenientText, truncate_to(500)]
_Media = Annotated[LenientPositionedItems[XMedia], take_first(_MAX_MEDIA)]


class TombstoneText(WireModel):
    text: _Text = ""


class Tombstone(WireModel):
    """Stands in the place of a post that is not shown."""

    text: LenientObject[TombstoneText] = TombstoneText()


class SyndicationAuthor(WireModel):
    screen_name: XHandle = ""


class EditControl(WireModel):
    edit_tweet_ids: LenientItems[str] = ()


class SyndicationQuote(WireModel):
    id_str: LenientText = ""
    user: Lenient[SyndicationAuthor] = None
    created_at: Lenient[IsoTime] = None
    text: _Text = ""
    media: Annotated[LenientPositionedItems[XMedia], take_first(_MAX_MEDIA)] = Field(
        (), validation_alias="mediaDetails"
    )

    def to_post(self, tweet_id: str) -> MediaPost:
        author = self.user.screen_name if self.user else ""
        return MediaPost(X_SITE, tweet_id, author, self.created_at, self.text, self.media)


class PostAnswer(SyndicationQuote):
    typename: LenientText = Field("", validation_alias="__typename")
    tombstone: LenientObject[Tombstone] = Tombstone()
    edit_control: LenientObject[EditControl] = EditControl()
    quoted: LenientObject[SyndicationQuote] = Field(SyndicationQuote(), validation_alias="quoted_tweet")

    @property
    def is_tombstone(self) -> bool:
        return self.typename == "TweetTombstone" or "tombstone" in self.model_fields_set

    def is_about(self, tweet_id: str) -> bool:
        """An edited post has several ids, and the answer may carry the latest."""
        return tweet_id in (self.id_str, *self.edit_control.edit_tweet_ids)

    @property
    def quoted_post(self) -> MediaPost | None:
        return self.quoted.to_post(self.quoted.id_str) if is_tweet_id(self.quoted.id_str) else None
