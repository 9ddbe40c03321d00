"""Posts of the simulated people: when they appear, what they are called, and what a search answers."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from threading import Lock

from found_footy.sim.bluesky.posts import a_did
from found_footy.sim.clock import Clock, ClockMode, WallClock
from found_footy.sim.feed.fixture import course_of
from found_footy.sim.query import Document, compile_query
from found_footy.sim.script.model import Match, Post, Scenario, Source

# Snowflakes count milliseconds from here, in their upper bits.
_EPOCH_MS = 1_288_834_974_657
_SORTABLE = "234567abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Published:
    """A post that is out. `media` names its video on the video host: two posts of one file have two of them.

    `minute` is the minute of `match` at which it came out, `index` its place among the posts of the scenario.
    """

    post: Post
    author: str
    tweet_id: str
    media: str
    posted_at: datetime
    match: Match
    minute: float
    index: int


def snowflake(at: datetime, salt: str) -> str:
    """The id of a post made at this time: 19 digits these days, too large for a float."""
    milliseconds = int(at.timestamp() * 1000) - _EPOCH_MS
    return str(milliseconds << 22 | int(sha256(salt.encode()).hexdigest()[:5], 16))


def record_key(at: datetime, salt: str) -> str:
    """The key of a record made at this time, as Bluesky counts them: microseconds and a few bits, in 13 letters."""
    number = int(at.timestamp() * 1_000_000) << 10 | int(sha256(salt.encode()).hexdigest()[:3], 16) & 1023
    return "".join(_SORTABLE[number >> shift & 31] for shift in range(60, -1, -5))


def _digits(salt: str) -> str:
    return str(10**18 + int(sha256(salt.encode()).hexdigest()[:15], 16) % 10**18)


class Board:
    """Every post that is out, stamped with the wall-clock time at which the clock passed it.

    In timed mode that time follows from the script. Else it is when somebody first looked: match time may then run
    ahead of real time, and a post from the future would be refused by any client.
    """

    def __init__(self, scenario: Scenario, clock: Clock, now: WallClock) -> None:
        self._clock = clock
        self._now = now
        self._to_come = [_planned(scenario, index, post) for index, post in enumerate(scenario.posts)]
        self._out: list[Published] = []
        self._by_media: dict[str, Published] = {}
        self._lock = Lock()

    def out(self) -> list[Published]:
        """All posts so far, newest first."""
        with self._lock:
            self._publish()
            return list(self._out)

    @property
    def to_come(self) -> int:
        """How many posts are not out yet."""
        with self._lock:
            self._publish()
            return len(self._to_come)

    def find(self, media: str) -> Published | None:
        with self._lock:
            self._publish()
            return self._by_media.get(media)

    def is_gone(self, item: Published) -> bool:
        """Whether its author has deleted it by now."""
        if item.post.gone_after is None:
            return False
        return self._clock.moment(item.match).minute >= item.minute + item.post.gone_after / 60

    def _publish(self) -> None:
        matches = {planned.match.id: planned.match for planned in self._to_come}
        reached = {number: self._clock.moment(match).minute for number, match in matches.items()}
        due_now = [planned for planned in self._to_come if planned.minute <= reached[planned.match.id]]
        if not due_now:
            return
        self._to_come = [planned for planned in self._to_come if planned.minute > reached[planned.match.id]]
        fresh = [self._stamp(planned, copy) for planned in due_now for copy in range(planned.post.copies)]
        self._by_media.update({item.media: item for item in fresh})
        self._out = sorted([*self._out, *fresh], key=lambda item: (item.posted_at, item.tweet_id), reverse=True)

    def _stamp(self, planned: "_Planned", copy: int) -> Published:
        post = planned.post
        timed = self._clock.mode is ClockMode.TIMED
        at = self._clock.time_of(planned.match, planned.minute) if timed else self._now()
        author = post.author if post.copies == 1 else f"{post.author}{copy + 1}"
        salt = f"{author}:{post.text}:{post.fixture}"
        own = record_key(at, salt) if post.source is Source.BLUESKY else snowflake(at, salt)
        name = post.id if post.id is not None else own
        return Published(
            post, author, name, _digits(salt), at.astimezone(UTC), planned.match, planned.minute, planned.index
        )


@dataclass(frozen=True)
class _Planned:
    index: int
    post: Post
    match: Match
    minute: float


def _planned(scenario: Scenario, index: int, post: Post) -> _Planned:
    match = scenario.match(post.fixture)
    assert match is not None
    return _Planned(index, post, match, due(match, post))


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
    """What a search on X finds, newest first. `exclude` may name posts by id or by address."""
    matches = compile_query(query)
    found = [
        item
        for item in posts
        if item.post.source is Source.X
        and now - item.posted_at <= max_age
        and item.tweet_id not in exclude
        and address(item) not in exclude
        and matches(Document(item.post.text, item.author))
    ]
    return found[:limit]


def address(item: Published) -> str:
    """Where people read the post."""
    if item.post.source is Source.BLUESKY:
        return f"https://bsky.app/profile/{a_did(handle(item.author))}/post/{item.tweet_id}"
    return f"https://x.com/{item.author}/status/{item.tweet_id}"


def handle(author: str) -> str:
    """The author's name on Bluesky, where a name is a host."""
    return f"{author.replace('_', '-')}.bsky.social"
