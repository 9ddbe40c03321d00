"""The messages of the service's HTTP API."""

from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from found_footy.domain.messages import ClipCandidate
from found_footy.domain.tweets import is_tweet_id
from found_footy.xsearch.errors import SearchFailed
from found_footy.xsearch.results.search_results import SearchResults
from found_footy.xsearch.results.tweets import video_key
from found_footy.xsearch.service import MAX_SEARCH_AGE, SearchParameters

_MAX_EXCLUDED = 5_000
_MAX_AGE_MINUTES = MAX_SEARCH_AGE / timedelta(minutes=1)
_ExcludedText = Annotated[str, Field(max_length=500)]


class SearchRequest(BaseModel):
    """`exclude` lists what is known already: a video by its URL, a whole post by its id.

    Posts are wanted since `since`, and those of the last `max_age_minutes` in any case, counted from the start of the
    search.
    """

    model_config = ConfigDict(extra="ignore")

    query: Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]
    max_age_minutes: Annotated[float, Field(gt=0, le=_MAX_AGE_MINUTES)] = 3
    limit: Annotated[int, Field(ge=1, le=200)] = 30
    exclude: Annotated[list[_ExcludedText], Field(max_length=_MAX_EXCLUDED)] = []
    since: AwareDatetime | None = None

    def to_parameters(self) -> SearchParameters:
        known = frozenset(filter(None, map(_parse_excluded, self.exclude)))
        return SearchParameters(
            self.query.strip(), timedelta(minutes=self.max_age_minutes), self.limit, known, self.since
        )


def _parse_excluded(text: str) -> str | None:
    post = text.strip()
    return post if is_tweet_id(post) else video_key(post)


def search_response(results: SearchResults) -> dict[str, Any]:
    """Build the answer to a search. `incomplete`: there may be more results; `stop` says why it ended."""
    return {
        "videos": [_video_fields(video) for video in results.videos],
        "incomplete": results.is_incomplete,
        "stop": results.stop,
        "pages": results.pages,
        "posts": results.posts,
        "rejected_ids": results.rejected_ids,
    }


def _video_fields(video: ClipCandidate) -> dict[str, Any]:
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


def failure_response(failure: SearchFailed, now: datetime) -> dict[str, Any]:
    return {"error": failure.code, "detail": failure.message, "retry_after": retry_after_seconds(failure, now)}


def retry_after_seconds(failure: SearchFailed, now: datetime) -> float | None:
    """Seconds until a retry may succeed, if known."""
    return max(1.0, round((failure.until - now).total_seconds(), 1)) if failure.until else None
