"""The service's own messages, as they travel."""

from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from found_footy.model.handoff import FoundVideo
from found_footy.xsearch.errors import SearchFailed
from found_footy.xsearch.harvest import Harvest
from found_footy.xsearch.service import LONGEST_AGE, Asked
from found_footy.xsearch.tweets import valid_id, video_key

_MOST_EXCLUDED = 5_000
_LONGEST_MINUTES = LONGEST_AGE / timedelta(minutes=1)
_Excluded = Annotated[str, Field(max_length=500)]


class SearchRequest(BaseModel):
    """`exclude` names what is known already: a video by its address, a whole post by its id.

    Posts are wanted from `since` on, and those of the last `max_age_minutes` in any case, counted when the search is
    made.
    """

    model_config = ConfigDict(extra="ignore")

    query: Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]
    max_age_minutes: Annotated[float, Field(gt=0, le=_LONGEST_MINUTES)] = 3
    limit: Annotated[int, Field(ge=1, le=200)] = 30
    exclude: Annotated[list[_Excluded], Field(max_length=_MOST_EXCLUDED)] = []
    since: AwareDatetime | None = None

    def asked(self) -> Asked:
        known = frozenset(filter(None, map(_known, self.exclude)))
        return Asked(self.query.strip(), timedelta(minutes=self.max_age_minutes), self.limit, known, self.since)


def _known(text: str) -> str | None:
    post = text.strip()
    return post if valid_id(post) else video_key(post)


def found(harvest: Harvest) -> dict[str, Any]:
    """The answer to a search. `incomplete`: these are right, but there may be more; `stop` says why it ended."""
    return {
        "videos": [_video(video) for video in harvest.videos],
        "incomplete": harvest.incomplete,
        "stop": harvest.stop,
        "pages": harvest.pages,
        "posts": harvest.posts,
        "rejected_ids": harvest.rejected_ids,
    }


def _video(video: FoundVideo) -> dict[str, Any]:
    return {
        "url": video.url,
        "tweet_id": video.tweet_id,
        "author": video.author,
        "posted_at": video.posted_at.isoformat() if video.posted_at else None,
        "duration_seconds": video.duration_seconds,
        "text": video.text,
        "variants": [
            {"url": v.url, "bitrate": v.bitrate, "width": v.width, "height": v.height} for v in video.variants
        ],
    }


def failed(failure: SearchFailed, now: datetime) -> dict[str, Any]:
    return {"error": failure.code, "detail": failure.message, "retry_after": retry_after(failure, now)}


def retry_after(failure: SearchFailed, now: datetime) -> float | None:
    """Seconds until it may work again, where that is known."""
    return max(1.0, round((failure.until - now).total_seconds(), 1)) if failure.until else None
