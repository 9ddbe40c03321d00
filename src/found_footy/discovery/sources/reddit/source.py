"""r/soccer as a source of clips: one shared poll of its new posts, compared with each goal by title.

The poll runs when a goal's search asks and it is due, in one process at a time; its state and the posts are in MongoDB.
So all matches share one request, a restart forgets nothing, and a goal that the feed lists late is compared with posts
that were read before.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from found_footy.discovery.sources.base import SourceRequest, SourceResult
from found_footy.discovery.sources.goal_facts import GoalFacts
from found_footy.discovery.sources.reddit.client import RedditClient
from found_footy.discovery.sources.reddit.matching import MatchGrade, TitleMatch, is_suspicion_of, match_title
from found_footy.discovery.sources.reddit.polling import (
    PollPace,
    is_kept,
    reaches_known,
    record_failure,
    record_success,
    stored_error,
)
from found_footy.discovery.sources.reddit.posts import PostPage, RedditPost
from found_footy.discovery.sources.reddit.store import PollState, RedditStore
from found_footy.discovery.sources.reddit.title_words import NOT_COUNTED
from found_footy.discovery.sources.reddit.titles import parse_post_title
from found_footy.domain.messages import ClipCandidate, VideoVariant
from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.errors import ExternalSystemError
from found_footy.platform.logs import ActionLogger

SOURCE_NAME = "reddit"
# Longer than a poll takes with all its pages.
_CLAIM_TIME = timedelta(minutes=2)
# The API allows a hundred requests a minute, the feed about one.
_PAGES_WITH_KEY = 5
_PAGES_OF_FEED = 1
# How far back a poll pages after a pause.
_HORIZON = timedelta(hours=1)
_MAX_SUSPICIONS = 5
# Comments name mirrors some minutes after the post; they are read once, of a few posts per poll.
_COMMENTS_AFTER = timedelta(minutes=3)
_COMMENTS_UNTIL = timedelta(minutes=15)
_THREADS_PER_POLL = 3

logger = ActionLogger(__name__)


class RedditSource:
    name = SOURCE_NAME

    def __init__(
        self, client: RedditClient, store: RedditStore, pace: PollPace | None = None, now: Clock = utc_now
    ) -> None:
        self._client = client
        self._store = store
        self._pace = pace or PollPace()
        self._now = now

    async def find_candidates(self, request: SourceRequest) -> SourceResult:
        """Posts that are matched are returned even while polls fail; without any, the failure is raised."""
        error = stored_error(await self._poll_if_due(), self._now())
        if request.facts is None:
            return SourceResult((), incomplete=True)
        posts = await self._store.find_posts(request.cutoff(self._now()))
        videos = [video for post in posts for video in _to_candidates(post, request.facts)]
        fresh = tuple(video for video in videos if video.url not in request.known_urls)[: request.limit]
        suspicions = tuple(post.title for post in posts if is_suspicion_of(post.title, request.facts))
        if error is not None and not fresh and not suspicions:
            raise error
        return SourceResult(fresh, incomplete=error is not None, suspicions=suspicions[:_MAX_SUSPICIONS])

    async def _poll_if_due(self) -> PollState:
        now = self._now()
        claimed = await self._store.claim_poll(now, now + _CLAIM_TIME)
        if claimed is None:
            return await self._store.read_state()
        state = await self._poll(claimed)
        await self._store.finish_poll(state)
        return state

    async def _poll(self, state: PollState) -> PollState:
        horizon = self._now() - _HORIZON
        try:
            pages = await self._read_pages(state, horizon)
        except ExternalSystemError as error:
            failed = record_failure(state, error, self._now(), self._pace)
            logger.warning(
                "r/soccer was not read and rests until %s: %s",
                failed.next_at.isoformat(timespec="seconds"),
                error,
                action="reddit_poll_failed",
                error=failed.error,
                failures=failed.failures,
            )
            return failed
        posts = [post for page in pages for post in page.posts]
        await self._store.save_posts([post for post in posts if is_kept(post) and _is_about_goal(post)])
        await self._read_mirrors()
        return record_success(state, pages, horizon, self._now(), self._pace)

    async def _read_mirrors(self) -> None:
        """Mirrors are never required: a failure is logged and the poll has worked."""
        if not self._client.has_key:
            return
        now = self._now()
        for _ in range(_THREADS_PER_POLL):
            post_id = await self._store.claim_unread_comments(now - _COMMENTS_UNTIL, now - _COMMENTS_AFTER)
            if post_id is None:
                return
            try:
                mirrors = await self._client.fetch_mirrors(post_id)
            except ExternalSystemError as error:
                logger.warning("comments were not read: %s", error, action="reddit_comments_failed", post=post_id)
                return
            await self._store.save_mirrors(post_id, mirrors)

    async def _read_pages(self, state: PollState, horizon: datetime) -> list[PostPage]:
        """New posts down to a known one. What a poll may not read any more is read by the next ones."""
        pages = [await self._client.fetch_new_posts(state.gap_after)]
        limit = _PAGES_WITH_KEY if self._client.has_key else _PAGES_OF_FEED
        while len(pages) < limit and not reaches_known(pages[-1], state.known_ids, horizon):
            pages.append(await self._client.fetch_new_posts(pages[-1].after))
        return pages


def _is_about_goal(post: RedditPost) -> bool:
    return parse_post_title(post.title) is not None or NOT_COUNTED.search(post.title) is not None


def _to_candidates(post: RedditPost, goal: GoalFacts) -> list[ClipCandidate]:
    """The post and its mirrors as candidates, if its title means this goal."""
    title = parse_post_title(post.title)
    if title is None or not post.link:
        return []
    match = match_title(title, goal)
    if match.grade is MatchGrade.NONE:
        return []
    own = ClipCandidate(
        post.page,
        post.id,
        post.author,
        post.created_at,
        post.duration,
        post.title,
        (VideoVariant(post.link, width=post.width, height=post.height),),
        SOURCE_NAME,
        witness=_describe_witness(match),
    )
    mirrors = [link for link in post.mirrors if link != post.link]
    return [own, *(replace(own, url=link, duration_seconds=None, variants=(VideoVariant(link),)) for link in mirrors)]


def _describe_witness(match: TitleMatch) -> str:
    return f"{match.grade.value}: {match.reason}"
