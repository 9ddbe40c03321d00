"""Posts of the simulated X: when they appear, what they are called, and what a search answers."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from threading import Lock

from found_footy.sim.clock import Clock, ClockMode, WallClock
from found_footy.sim.feed.fixture import course_of
from found_footy.sim.query import Document, compile_query
from found_footy.sim.script.model import Match, Post, Scenario

# Snowflakes count milliseconds from here, in their upper bits.
_EPOCH_MS = 1_288_834_974_657


@dataclass(frozen=True)
class Published:
    """A post that is out. `media` names its video on the video host: two posts of one file have two of them."""

    post: Post
    author: str
    tweet_id: str
    media: str
    posted_at: datetime


def snowflake(at: datetime, salt: str) -> str:
    """The id of a post made at this time: 19 digits these days, too large for a float."""
    milliseconds = int(at.timestamp() * 1000) - _EPOCH_MS
    return str(milliseconds << 22 | int(sha256(salt.encode()).hexdigest()[:5], 16))


def _digits(salt: str) -> str:
    return str(10**18 + int(sha256(salt.encode()).hexdigest()[:15], 16) % 10**18)


class Board:
    """Every post that is out, stamped with the wall-clock time at which the clock passed it.

    In timed mode that time follows from the script. Else it is when somebody first looked: match time may then run
    ahead of real time, and a post from the future would be refused by any client.
    """

    def __init__(self, scenario: Scenario, clock: Clock, now: WallClock) -> None:
        self._scenario = scenario
        self._clock = clock
        self._now = now
        self._out: dict[tuple[int, int], Published] = {}
        self._lock = Lock()

    def out(self) -> list[Published]:
        """All posts so far, newest first."""
        with self._lock:
            for index, post in enumerate(self._scenario.posts):
                self._publish(index, post)
            return sorted(self._out.values(), key=lambda item: (item.posted_at, item.tweet_id), reverse=True)

    def find(self, media: str) -> Published | None:
        return next((item for item in self.out() if item.media == media), None)

    def _publish(self, index: int, post: Post) -> None:
        match = self._scenario.match(post.fixture)
        assert match is not None
        minute = due(match, post)
        if (index, 0) in self._out or self._clock.moment(match).minute < minute:
            return
        for copy in range(post.copies):
            self._out[index, copy] = self._stamp(match, post, minute, copy)

    def _stamp(self, match: Match, post: Post, minute: float, copy: int) -> Published:
        timed = self._clock.mode is ClockMode.TIMED
        at = self._clock.time_of(match, minute) if timed else self._now()
        author = post.author if post.copies == 1 else f"{post.author}{copy + 1}"
        salt = f"{author}:{post.text}:{post.fixture}"
        tweet = post.id if post.id is not None else snowflake(at, salt)
        return Published(post, author, tweet, _digits(salt), at.astimezone(UTC))


def due(match: Match, post: Post) -> float:
    """The match minute at which the post appears."""
    course = course_of(match)
    if post.at is not None:
        return course.at(post.at)
    assert post.after is not None
    return course.at(match.incident(post.after).at) + post.seconds / 60


def select(
    posts: list[Published], query: str, *, now: datetime, max_age: timedelta, limit: int, exclude: frozenset[str]
) -> list[Published]:
    """What a search finds, newest first. `exclude` may name posts by id or by address."""
    matches = compile_query(query)
    found = [
        item
        for item in posts
        if now - item.posted_at <= max_age
        and item.tweet_id not in exclude
        and address(item) not in exclude
        and matches(Document(item.post.text, item.author))
    ]
    return found[:limit]


def address(item: Published) -> str:
    return f"https://x.com/{item.author}/status/{item.tweet_id}"
