"""Answers of an X search service: results, errors, health. Pure."""

from typing import Annotated, Any

from pydantic import Field

from found_footy.discovery.sources.base import SourceResult
from found_footy.discovery.sources.health import ServiceHealth
from found_footy.domain.messages import ClipCandidate, VideoVariant
from found_footy.domain.tweets import is_tweet_id
from found_footy.platform.errors import Malformed
from found_footy.platform.wire import (
    HttpLink,
    IsoTime,
    Lenient,
    LenientItems,
    LenientObject,
    LenientText,
    ShownText,
    ValidItems,
    WireModel,
    accept_if,
    parse_or_empty,
    parse_or_none,
    take_first,
    truncate_to,
    use_default_if_invalid,
)

SYSTEM = "X search"
_MAX_VARIANTS = 20
_MAX_STATE_LENGTH = 200
_BROWSER_RUNNING = "running"

_PostText = Annotated[ShownText, truncate_to(500)]
_HealthText = Annotated[ShownText, truncate_to(_MAX_STATE_LENGTH)]
_Seconds = Lenient[Annotated[float, Field(gt=0, lt=1e9)]]
_Measure = Annotated[float, Field(ge=0, lt=1e12), use_default_if_invalid(0.0)]
_Count = Lenient[Annotated[int, Field(ge=0, lt=1_000_000)]]


class SearchVariant(WireModel):
    url: HttpLink
    bitrate: _Measure = 0.0
    width: _Measure = 0.0
    height: _Measure = 0.0

    def to_variant(self) -> VideoVariant:
        return VideoVariant(self.url, int(self.bitrate), int(self.width), int(self.height))


class SearchVideo(WireModel):
    """One result. Without a post's id and an address it is dropped."""

    tweet_id: Annotated[str, accept_if(is_tweet_id)]
    url: HttpLink
    author: _PostText = ""
    posted_at: Lenient[IsoTime] = None
    duration_seconds: _Seconds = None
    text: _PostText = ""
    variants: Annotated[LenientItems[SearchVariant], take_first(_MAX_VARIANTS)] = ()

    def to_candidate(self) -> ClipCandidate:
        return ClipCandidate(
            url=self.url,
            tweet_id=self.tweet_id,
            author=self.author,
            posted_at=self.posted_at,
            duration_seconds=self.duration_seconds,
            text=self.text,
            variants=tuple(variant.to_variant() for variant in self.variants),
        )


class XSearchAnswer(WireModel):
    videos: ValidItems[SearchVideo]
    incomplete: Annotated[bool, use_default_if_invalid(False)] = False
    stop: LenientText = ""


class XSearchError(WireModel):
    error: _PostText = ""
    detail: _PostText = ""
    retry_after: _Seconds = None


class SessionReport(WireModel):
    problem: _HealthText = ""
    state: _HealthText = ""
    detail: _HealthText = ""


class BrowserReport(WireModel):
    state: _HealthText = _BROWSER_RUNNING
    detail: _HealthText = ""


class BudgetReport(WireModel):
    left: _Count = None
    limit: _Count = None


class HealthAnswer(WireModel):
    status: Lenient[str | int] = None
    session: LenientObject[SessionReport] = SessionReport()
    browser: LenientObject[BrowserReport] = BrowserReport()
    budget: LenientObject[BudgetReport] = BudgetReport()


def parse_search_response(body: Any) -> SourceResult:
    """Parse the answer of a search. Malformed if it is not one; results with invalid ids are counted and dropped."""
    answer = parse_or_none(XSearchAnswer, body)
    if answer is None:
        raise Malformed(SYSTEM, "the answer has no list of videos")
    count = len(body["videos"])
    # Repeating the same period can find more; after the maximum number of pages only if they had new results, else it
    # would read the same pages again, and each of them costs budget.
    incomplete = answer.incomplete and (answer.stop != "pages" or count > 0)
    videos = tuple(video.to_candidate() for video in answer.videos)
    return SourceResult(videos, count - len(videos), incomplete=incomplete)


def parse_error_answer(body: Any) -> XSearchError | None:
    """None if the answer is not an object."""
    return parse_or_none(XSearchError, body)


def parse_service_health(body: Any) -> ServiceHealth:
    """Parse the answer of /health. A service that reports less is unknown, not unhealthy."""
    answer = parse_or_empty(HealthAnswer, body)
    session, browser = answer.session, answer.browser
    down = f"browser {browser.state}"[:_MAX_STATE_LENGTH] if browser.state not in ("", _BROWSER_RUNNING) else ""
    return ServiceHealth(
        healthy=answer.status == "ok" if isinstance(answer.status, str) else None,
        state=session.problem or down or session.state or str(answer.status or "unknown")[:_MAX_STATE_LENGTH],
        detail=session.detail or browser.detail,
        budget_left=answer.budget.left,
        budget_limit=answer.budget.limit,
    )
