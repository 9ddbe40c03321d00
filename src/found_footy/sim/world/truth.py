"""What is true of a simulated match day: the goals, and for every post what a perfect product would make of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from found_footy.sim.query import Document, compile_query, words
from found_footy.sim.script.model import Source
from found_footy.sim.world.fans import WINDOW, Said
from found_footy.sim.world.footage import SHOWS_THE_GOAL, Footage, Kind
from found_footy.sim.world.plan import Goal
from found_footy.sim.world.sizes import Size
from found_footy.sim.world.words import Tone

PUBLISH, DUPLICATE, UNREACHABLE = "publish", "duplicate_of", "unreachable"
# How long before and after a goal, in minutes, a post may be for its search to come across it.
_BEFORE, _AFTER = 3.0, 20.0
_REJECTED = {
    Kind.FILMED: "phone_screen",
    Kind.FANCAM: "filtered_aspect",
    Kind.PORTRAIT: "filtered_aspect",
    Kind.SNIPPET: "filtered_duration",
    Kind.STUDIO: "not_soccer",
    Kind.ADVERT: "not_soccer",
    Kind.CARD: "not_soccer",
    Kind.OTHER_SPORT: "not_soccer",
}
_HELPLESS = frozenset({"de", "di", "el", "la", "le", "lo", "van", "von", "da", "dos"})


@dataclass(frozen=True)
class PostTruth:
    """`goal` is what the video shows, `found_for` whose searches can find the post, the one it was written about first.

    `expected` has an entry for each of those.
    """

    about: str
    goal: str | None
    found_for: tuple[str, ...]
    recording: str
    kind: str
    expected: Mapping[str, str]
    in_window: bool
    source: Source


@dataclass(frozen=True)
class WorldTruth:
    """`posts` stand in the order of the scenario's. `right` says where goals have a clip that can be had in time."""

    seed: int
    size: Size
    goals: tuple[Goal, ...]
    posts: tuple[PostTruth, ...]
    footage: Mapping[str, Footage]
    right: Mapping[str, frozenset[Source]]


def tell(
    seed: int, size: Size, goals: Sequence[Goal], said: Sequence[Said], footage: Mapping[str, Footage]
) -> WorldTruth:
    found = [_found_for(one, goals) for one in said]
    expected = _expected(goals, said, found)
    posts = tuple(
        _post(one, which, expected[index]) for index, (one, which) in enumerate(zip(said, found, strict=True))
    )
    return WorldTruth(seed, size, tuple(goals), posts, footage, _right(posts))


def _right(posts: Sequence[PostTruth]) -> dict[str, frozenset[Source]]:
    found: dict[str, frozenset[Source]] = {}
    for post in posts:
        for name, word in post.expected.items():
            if post.in_window and name == post.goal and word.startswith((PUBLISH, DUPLICATE)):
                found[name] = found.get(name, frozenset()) | {post.source}
    return found


def query_for(goal: Goal) -> str:
    """A search that anybody would make for this goal: any of the scorer's telling names with any of the team's."""
    names = [name for player in goal.credits for name in words(player.called) if name not in _HELPLESS]
    teams = [f'"{name}"' for name in (goal.club.team.name, *goal.club.aliases)]
    return f"({' OR '.join(dict.fromkeys(names))}) ({' OR '.join(teams)})"


def posted_at(said: Said) -> float:
    """The minute of the world's clock."""
    return said.about.minute + said.post.seconds / 60


def _found_for(said: Said, goals: Sequence[Goal]) -> tuple[str, ...]:
    at = posted_at(said)
    near = [goal for goal in goals if goal.minute - _BEFORE <= at <= goal.minute + _AFTER]
    document = Document(said.post.text, said.post.author)
    found = [goal.id for goal in near if compile_query(query_for(goal))(document)]
    return tuple(sorted(found, key=lambda name: name != said.about.id))


def _expected(goals: Sequence[Goal], said: Sequence[Said], found: Sequence[tuple[str, ...]]) -> list[dict[str, str]]:
    """For each goal, the first post of a recording is the one to publish, and those after it are copies."""
    verdicts: list[dict[str, str]] = [{} for _ in said]
    for goal in goals:
        seen: set[str] = set()
        mine = [index for index, names in enumerate(found) if goal.id in names]
        for index in sorted(mine, key=lambda i: (posted_at(said[i]), i)):
            verdicts[index][goal.id] = _verdict(said[index], goal, seen)
    return verdicts


def _verdict(said: Said, goal: Goal, seen: set[str]) -> str:
    if said.post.host is not None:
        return UNREACHABLE
    if reason := _REJECTED.get(said.footage.kind):
        return f"reject:{reason}"
    if said.footage.goal != goal.id or said.footage.kind not in SHOWS_THE_GOAL:
        return "reject:wrong_minute"
    if said.footage.recording in seen:
        return f"{DUPLICATE}:{said.footage.recording}"
    seen.add(said.footage.recording)
    return PUBLISH


def _post(said: Said, found: tuple[str, ...], expected: Mapping[str, str]) -> PostTruth:
    in_window = said.post.seconds <= WINDOW
    return PostTruth(
        said.about.id, said.footage.goal, found, said.footage.recording, _kind(said), expected, in_window,
        said.post.source,
    )  # fmt: skip


def _kind(said: Said) -> str:
    """What a post is to the goal that it was written about."""
    if said.tone is Tone.OTHER_GOAL:
        same = str(said.footage.goal).startswith(f"{said.about.match.id}-")
        return "other_goal" if same else "wrong_match"
    return str(said.footage.kind) if said.tone is Tone.PLAIN else str(said.tone)
