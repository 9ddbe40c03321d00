"""Ground truth of a simulated world, as its truth endpoint reports it after the match day."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from found_footy.platform.errors import Malformed
from found_footy.views.field_readers import read_documents, read_float, read_int, read_text

SIMULATOR_SYSTEM = "simulated world"
_ADDED_TIME_SEPARATOR = "+"
_ACCEPTED_EXPECTATIONS = ("publish", "duplicate_of")
_EXPECT_WRONG_MATCH = "reject:wrong_match"
_USUAL_NAMES, _NO_NAMES = "usual", "none"


def _is_accepted(expected: str) -> bool:
    return expected.partition(":")[0] in _ACCEPTED_EXPECTATIONS


@dataclass(frozen=True)
class TrueGoal:
    """A goal of the world. An invalid one was in the feed for a while and then removed."""

    goal: str
    fixture: int
    team: int
    player: str
    player_id: int
    elapsed: int
    extra: int
    stands: bool
    right_clip_posted: bool
    right_clip_findable: bool
    reattributed_from: str = ""
    at: datetime | None = None

    @property
    def minute(self) -> int:
        return self.elapsed + self.extra

    @property
    def label(self) -> str:
        return f"{self.elapsed}+{self.extra}'" if self.extra else f"{self.elapsed}'"


@dataclass(frozen=True)
class TruePost:
    """A post. `goal` is the goal that its video shows, empty if none; `shows` has those of a compilation too.
    `expected` is the right outcome, `expected_for` the same by goal. `names` says how it names the scorer. `in_window`
    ones were posted while their goal is searched for.
    """

    tweet_id: str
    url: str
    goal: str
    recording: str
    kind: str
    expected: str
    expected_for: Mapping[str, str] = field(default_factory=dict)
    posted_at: datetime | None = None
    in_window: bool = True
    shows: tuple[str, ...] = ()
    names: str = _USUAL_NAMES

    def expected_for_goal(self, goal: str) -> str:
        """Without a word for this goal, what is right for the goal that it shows is wrong for every other one."""
        if goal in self.expected_for:
            return self.expected_for[goal]
        shows_another = bool(self.goal) and self.goal != goal
        return _EXPECT_WRONG_MATCH if shows_another and _is_accepted(self.expected) else self.expected

    def is_wanted_for(self, goal: str) -> bool:
        """Whether it shows the goal and should be kept, or be recognized as a copy of one that was."""
        return bool(goal) and self.goal == goal and _is_accepted(self.expected_for_goal(goal))

    @property
    def is_findable(self) -> bool:
        """Whether it names the scorer and the team in some way."""
        return self.names != _NO_NAMES

    @property
    def is_right(self) -> bool:
        """Whether the search for its goal can find it and should keep it, or recognize it as a copy of a kept one."""
        return self.in_window and self.is_findable and self.is_wanted_for(self.goal)


@dataclass(frozen=True)
class TrueFile:
    md5: str
    recording: str
    kind: str
    goal: str
    shows: tuple[str, ...] = ()


@dataclass(frozen=True)
class GroundTruth:
    seed: int
    size: str
    speed: float
    goals: tuple[TrueGoal, ...] = ()
    posts: tuple[TruePost, ...] = ()
    files: tuple[TrueFile, ...] = field(default=(), repr=False)

    @cached_property
    def goal_by_id(self) -> Mapping[str, TrueGoal]:
        return {goal.goal: goal for goal in self.goals}

    @cached_property
    def file_by_md5(self) -> Mapping[str, TrueFile]:
        return {file.md5: file for file in self.files}

    @cached_property
    def post_by_tweet(self) -> Mapping[str, TruePost]:
        return {post.tweet_id: post for post in self.posts}

    @cached_property
    def first_right_post_times(self) -> Mapping[str, datetime]:
        """When the first clip that shows a goal was posted where it can be found, by goal."""
        found: dict[str, datetime] = {}
        for post in self.posts:
            if post.is_right and post.posted_at is not None:
                found[post.goal] = min(found.get(post.goal, post.posted_at), post.posted_at)
        return found

    def find_post(self, url: str) -> TruePost | None:
        """Return the post at this URL."""
        return self.post_by_tweet.get(read_tweet_id(url))


def read_tweet_id(url: str) -> str:
    """The id of a post is the last part of its address."""
    return url.rstrip("/").rpartition("/")[2]


def parse_ground_truth(document: Any) -> GroundTruth:
    """Parse the document of the truth endpoint. Raises Malformed if it is none."""
    if not isinstance(document, Mapping) or not isinstance(document.get("goals"), list):
        raise Malformed(SIMULATOR_SYSTEM, "the answer has no list of goals")
    try:
        return GroundTruth(
            seed=read_int(document.get("seed")) or 0,
            size=read_text(document.get("size"), "unknown"),
            speed=read_float(document.get("speed")) or 1.0,
            goals=tuple(map(_parse_goal, read_documents(document["goals"]))),
            posts=tuple(map(_parse_post, read_documents(document.get("posts")))),
            files=tuple(map(_parse_file, read_documents(document.get("files")))),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Malformed(SIMULATOR_SYSTEM, f"the ground truth cannot be read: {type(error).__name__} {error}") from error


def _parse_goal(row: Mapping[str, Any]) -> TrueGoal:
    elapsed, _, extra = str(row["minute"]).rstrip("'").partition(_ADDED_TIME_SEPARATOR)
    return TrueGoal(
        goal=str(row["goal"]),
        fixture=int(row["fixture"]),
        team=int(row["team"]),
        player=read_text(row.get("player")),
        player_id=read_int(row.get("player_id")) or 0,
        elapsed=int(elapsed),
        extra=int(extra or 0),
        stands=bool(row.get("stands", True)),
        right_clip_posted=bool(row.get("right_clip_posted")),
        right_clip_findable=bool(row.get("right_clip_findable", row.get("right_clip_posted"))),
        reattributed_from=str(row.get("reattributed_from") or ""),
        at=_parse_time(row.get("at")),
    )


def _parse_post(row: Mapping[str, Any]) -> TruePost:
    by_goal = row.get("expected_for") or {}
    return TruePost(
        tweet_id=str(row["tweet_id"]),
        url=str(row.get("url") or ""),
        goal=str(row.get("goal") or ""),
        recording=str(row.get("recording") or ""),
        kind=str(row.get("kind") or ""),
        expected=str(row.get("expected") or ""),
        expected_for={str(goal): str(word) for goal, word in by_goal.items()},
        posted_at=_parse_time(row.get("posted_at")),
        in_window=bool(row.get("in_window", True)),
        shows=_parse_shown_goals(row),
        names=read_text(row.get("names"), _USUAL_NAMES),
    )


def _parse_file(row: Mapping[str, Any]) -> TrueFile:
    return TrueFile(
        str(row["md5"]),
        str(row.get("recording") or ""),
        str(row.get("kind") or ""),
        str(row.get("goal") or ""),
        _parse_shown_goals(row),
    )


def _parse_shown_goals(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The goals that a video shows; a row that lists none shows its own."""
    listed = row.get("shows") or ([row["goal"]] if row.get("goal") else [])
    return tuple(map(str, listed))


def _parse_time(value: Any) -> datetime | None:
    moment = datetime.fromisoformat(value) if isinstance(value, str) and value else None
    return moment.replace(tzinfo=UTC) if moment and moment.tzinfo is None else moment
