"""Posts of a scenario: when they are published, their ids, and the results of searches."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from threading import Lock

from found_footy_sim.bluesky.posts import make_did
from found_footy_sim.clock import ClockMode, SimulatedClock
from found_footy_sim.feed.fixture import get_timeline
from found_footy_sim.script.model import PostPlatform, Scenario, SimulatedMatch, SimulatedPost
from found_footy_sim.search_query import SearchDocument, compile_query
from found_footy_sim.wall_clock import WallClock

# Snowflakes count milliseconds from here, in their upper bits.
_EPOCH_MS = 1_288_834_974_657
_BASE32_SORTABLE = "234567abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class PublishedPost:
    """A published post. `media` names its video on the video host: two posts of one file have two of them.

    `minute` is the minute of `match` at which it was published, `index` its position among the posts of the scenario.
    """

    post: SimulatedPost
    author: str
    tweet_id: str
    media: str
    posted_at: datetime
    match: SimulatedMatch
    minute: float
    index: int


def make_snowflake(at: datetime, salt: str) -> str:
    """The id of a post made at this time: 19 digits, too large for a float."""
    milliseconds = int(at.timestamp() * 1000) - _EPOCH_MS
    return str(milliseconds << 22 | int(sha256(salt.encode()).hexdigest()[:5], 16))


def make_record_key(at: datetime, salt: str) -> str:
    """The key of a record made at this time, as Bluesky makes them: microseconds and a few bits, in 13 letters."""
    number = int(at.timestamp() * 1_000_000) << 10 | int(sha256(salt.encode()).hexdigest()[:3], 16) & 1023
    return "".join(_BASE32_SORTABLE[number >> shift & 31] for shift in range(60, -1, -5))


def _make_media_id(salt: str) -> str:
    return str(10**18 + int(sha256(salt.encode()).hexdigest()[:15], 16) % 10**18)


class PostSchedule:
    """Every published post, with the wall-clock time at which the clock passed it.

    In timed mode that time follows from the script. Otherwise it is when a client first asked: match time may then run
    ahead of real time, and any client would reject a post from the future.
    """

    def __init__(self, scenario: Scenario, clock: SimulatedClock, now: WallClock) -> None:
        self._clock = clock
        self._now = now
        self._pending = [_plan_post(scenario, index, post) for index, post in enumerate(scenario.posts)]
        self._published: list[PublishedPost] = []
        self._by_media: dict[str, PublishedPost] = {}
        self._lock = Lock()

    def list_published(self) -> list[PublishedPost]:
        """Return all posts published so far, newest first."""
        with self._lock:
            self._publish_due()
            return list(self._published)

    @property
    def pending_count(self) -> int:
        """The number of posts that are not published yet."""
        with self._lock:
            self._publish_due()
            return len(self._pending)

    def find_by_media(self, media: str) -> PublishedPost | None:
        with self._lock:
            self._publish_due()
            return self._by_media.get(media)

    def is_deleted(self, item: PublishedPost) -> bool:
        """Whether its author has deleted it."""
        if item.post.gone_after is None:
            return False
        return self._clock.get_moment(item.match).minute >= item.minute + item.post.gone_after / 60

    def _publish_due(self) -> None:
        matches = {planned.match.id: planned.match for planned in self._pending}
        reached = {number: self._clock.get_moment(match).minute for number, match in matches.items()}
        due_now = [planned for planned in self._pending if planned.minute <= reached[planned.match.id]]
        if not due_now:
            return
        self._pending = [planned for planned in self._pending if planned.minute > reached[planned.match.id]]
        fresh = [self._stamp_post(planned, copy) for planned in due_now for copy in range(planned.post.copies)]
        self._by_media.update({item.media: item for item in fresh})
        self._published = sorted(
            [*self._published, *fresh], key=lambda item: (item.posted_at, item.tweet_id), reverse=True
        )

    def _stamp_post(self, planned: "_PlannedPost", copy: int) -> PublishedPost:
        post = planned.post
        timed = self._clock.mode is ClockMode.TIMED
        at = self._clock.time_of(planned.match, planned.minute) if timed else self._now()
        author = post.author if post.copies == 1 else f"{post.author}{copy + 1}"
        salt = f"{author}:{post.text}:{post.fixture}"
        own = make_record_key(at, salt) if post.source is PostPlatform.BLUESKY else make_snowflake(at, salt)
        name = post.id if post.id is not None else own
        return PublishedPost(
            post, author, name, _make_media_id(salt), at.astimezone(UTC), planned.match, planned.minute, planned.index
        )


@dataclass(frozen=True)
class _PlannedPost:
    index: int
    post: SimulatedPost
    match: SimulatedMatch
    minute: float


def _plan_post(scenario: Scenario, index: int, post: SimulatedPost) -> _PlannedPost:
    match = scenario.find_match(post.fixture)
    assert match is not None
    return _PlannedPost(index, post, match, due_minute(match, post))


def due_minute(match: SimulatedMatch, post: SimulatedPost) -> float:
    """The match minute at which the post is published."""
    course = get_timeline(match)
    if post.at is not None:
        return course.minute_at(post.at)
    assert post.after is not None
    return course.minute_at(match.get_incident(post.after).at) + post.seconds / 60


def search_posts(
    posts: list[PublishedPost], query: str, *, now: datetime, max_age: timedelta, limit: int, exclude: frozenset[str]
) -> list[PublishedPost]:
    """Return the results of a search on X, newest first. `exclude` may name posts by id or by URL."""
    matches = compile_query(query)
    found = [
        item
        for item in posts
        if item.post.source is PostPlatform.X
        and now - item.posted_at <= max_age
        and item.tweet_id not in exclude
        and post_url(item) not in exclude
        and matches(SearchDocument(item.post.text, item.author))
    ]
    return found[:limit]


def post_url(item: PublishedPost) -> str:
    """The URL at which people read the post."""
    if item.post.source is PostPlatform.BLUESKY:
        return f"https://bsky.app/profile/{make_did(bluesky_handle(item.author))}/post/{item.tweet_id}"
    return f"https://x.com/{item.author}/status/{item.tweet_id}"


def bluesky_handle(author: str) -> str:
    """The author's handle on Bluesky, where a handle is a host name."""
    return f"{author.replace('_', '-')}.bsky.social"
