"""The answer of the site's search call: a timeline of entries, and the posts in them.

No field is required, except the list of instructions, which makes an answer a timeline: what is invalid is read as
missing, so that a broken part costs only itself. Quoted and reposted posts are not read with the post around them,
because they may be nested without end.
"""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from found_footy.platform.wire import (
    Lenient,
    LenientObject,
    LenientPositionedItems,
    LenientText,
    PositionedItems,
    WireModel,
    parse_or_empty,
    truncate_to,
)
from found_footy.x_media import XHandle, XMedia

_ABSENT_TYPES = frozenset({"TweetTombstone", "TweetUnavailable"})
_GRID_PREFIX = "search-grid-"
# In some answers the post has these fields itself, in others below `legacy`.
_LEGACY_FIELDS = (
    "id_str",
    "full_text",
    "created_at",
    "extended_entities",
    "entities",
    "quoted_status_result",
    "retweeted_status_result",
)


def _parse_mail_date(value: Any) -> datetime:
    """The site writes "Wed Oct 10 20:19:24 +0000 2018"."""
    try:
        stated = parsedate_to_datetime(value)
        return stated.astimezone(UTC) if stated.tzinfo else stated.replace(tzinfo=UTC)
    except (ValueError, TypeError, OverflowError, IndexError, AttributeError):
        raise ValueError("not a date") from None


def _none_if_empty(value: Any) -> Any:
    return value or None


_MailDate = Annotated[datetime, BeforeValidator(_parse_mail_date)]
_TweetText = Annotated[LenientText, truncate_to(4_000)]


class SiteError(WireModel):
    code: Lenient[int] = None
    message: LenientText = ""


class UserNames(WireModel):
    screen_name: XHandle = ""


class TweetUser(WireModel):
    core: LenientObject[UserNames] = UserNames()
    legacy: LenientObject[UserNames] = UserNames()


class UserResults(WireModel):
    result: LenientObject[TweetUser] = TweetUser()


class TweetCore(WireModel):
    user_results: LenientObject[UserResults] = UserResults()


class NoteText(WireModel):
    text: _TweetText = ""


class NoteResults(WireModel):
    result: LenientObject[NoteText] = NoteText()


class NoteTweet(WireModel):
    """The whole text of a long post."""

    note_tweet_results: LenientObject[NoteResults] = NoteResults()


class TweetEntities(WireModel):
    media: LenientPositionedItems[XMedia] = ()


class TweetResults(WireModel):
    """A post in its place. `result` is None where the site leaves it blank."""

    result: Any = None


class TweetType(WireModel):
    typename: LenientText = Field("", validation_alias="__typename")


def is_absent(result: Any) -> bool:
    """Whether the site shows a deleted or hidden post in this place."""
    return parse_or_empty(TweetType, result).typename in _ABSENT_TYPES


class Tweet(WireModel):
    """One post. `quoted` and `reposted` are read when the post itself has no video."""

    rest_id: LenientText = ""
    id_str: LenientText = ""
    core: LenientObject[TweetCore] = TweetCore()
    note_tweet: LenientObject[NoteTweet] = NoteTweet()
    full_text: _TweetText = ""
    created_at: Lenient[_MailDate] = None
    extended_entities: LenientObject[TweetEntities] = TweetEntities()
    entities: LenientObject[TweetEntities] = TweetEntities()
    quoted: LenientObject[TweetResults] = Field(TweetResults(), validation_alias="quoted_status_result")
    reposted: Annotated[LenientObject[TweetResults | None], BeforeValidator(_none_if_empty)] = Field(
        None, validation_alias="retweeted_status_result"
    )

    @model_validator(mode="before")
    @classmethod
    def _lift_fields(cls, value: Any) -> Any:
        """Unwrap a post with limited visibility, and lift the fields of `legacy`."""
        outer = value if isinstance(value, dict) else {}
        tweet = outer["tweet"] if isinstance(outer.get("tweet"), dict) else outer
        legacy = tweet["legacy"] if isinstance(tweet.get("legacy"), dict) else {}
        lifted = {name: legacy[name] for name in _LEGACY_FIELDS if legacy.get(name) is not None}
        return {**tweet, **lifted}

    @property
    def tweet_id(self) -> str:
        return self.rest_id or self.id_str

    @property
    def author(self) -> str:
        user = self.core.user_results.result
        return user.core.screen_name or user.legacy.screen_name

    @property
    def text(self) -> str:
        return self.note_tweet.note_tweet_results.result.text or self.full_text

    @property
    def media(self) -> tuple[XMedia, ...]:
        return self.extended_entities.media or self.entities.media


class ItemContent(WireModel):
    """The content of an entry: a post, a cursor, or something else."""

    item_type: LenientText = Field("", validation_alias="itemType")
    tweet_results: Lenient[TweetResults] = None
    promoted_metadata: Any = Field(None, validation_alias="promotedMetadata")
    value: LenientText = ""

    @property
    def is_tweet(self) -> bool:
        return "tweet_results" in self.model_fields_set or self.item_type == "TimelineTweet"


class ModuleItem(WireModel):
    content: Lenient[ItemContent] = Field(None, validation_alias="itemContent")


class ModuleCell(WireModel):
    entry_id: LenientText = Field("", validation_alias="entryId")
    item: LenientObject[ModuleItem] = ModuleItem()


class EntryContent(WireModel):
    """An entry has one content, or the cells of a module such as the media grid."""

    item_content: Lenient[ItemContent] = Field(None, validation_alias="itemContent")
    items: LenientPositionedItems[ModuleCell] = ()
    cursor_type: LenientText = Field("", validation_alias="cursorType")
    value: LenientText = ""


class TimelineEntry(WireModel):
    entry_id: LenientText = Field("", validation_alias="entryId")
    content: LenientObject[EntryContent] = EntryContent()


class TimelineInstruction(WireModel):
    entries: LenientPositionedItems[TimelineEntry] = ()
    entry: Annotated[LenientObject[TimelineEntry | None], BeforeValidator(_none_if_empty)] = None
    module_items: LenientPositionedItems[ModuleCell] = Field((), validation_alias="moduleItems")
    module_entry_id: LenientText = Field("", validation_alias="moduleEntryId")

    def list_entries(self) -> tuple[TimelineEntry, ...]:
        """The entries; additions to a media grid become an entry of that grid."""
        if self.entries:
            return self.entries
        if self.entry is not None:
            return (self.entry,)
        if not self.module_items:
            return ()
        content = EntryContent.model_construct(items=self.module_items)
        return (TimelineEntry.model_construct(entry_id=self.module_entry_id or _GRID_PREFIX, content=content),)


class Timeline(WireModel):
    """Without a list of instructions this is not a timeline."""

    instructions: Lenient[PositionedItems[TimelineInstruction]] = None


class SearchTimeline(WireModel):
    timeline: LenientObject[Timeline] = Timeline()


class RawQuery(WireModel):
    search_timeline: LenientObject[SearchTimeline] = SearchTimeline()


class SearchTimelineData(WireModel):
    search_by_raw_query: LenientObject[RawQuery] = RawQuery()


class SearchPayload(WireModel):
    data: LenientObject[SearchTimelineData] = SearchTimelineData()
    errors: LenientPositionedItems[SiteError] = ()

    @property
    def instructions(self) -> tuple[TimelineInstruction, ...] | None:
        """None if this is not a timeline."""
        return self.data.search_by_raw_query.search_timeline.timeline.instructions


def parse_payload(payload: object) -> SearchPayload:
    return parse_or_empty(SearchPayload, payload)
