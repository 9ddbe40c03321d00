"""Ground truth of a simulated match day: the goals, and the right outcome of every post."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from found_footy_sim.script.model import PostPlatform
from found_footy_sim.search_query import SearchDocument, compile_query, split_words
from found_footy_sim.world.footage import GOAL_KINDS, FootageFile, FootageKind
from found_footy_sim.world.goals import SimulatedGoal
from found_footy_sim.world.post_generation import SEARCH_WINDOW_SECONDS, GeneratedPost
from found_footy_sim.world.post_texts import PostTone
from found_footy_sim.world.sizes import WorldSize

EXPECT_PUBLISH, EXPECT_DUPLICATE, EXPECT_UNREACHABLE = "publish", "duplicate_of", "unreachable"
# Minutes before and after a goal within which its search can find a post.
_MINUTES_BEFORE, _MINUTES_AFTER = 3.0, 20.0
_REJECTION_REASONS = {
    FootageKind.FILMED: "phone_screen",
    FootageKind.FANCAM: "filtered_aspect",
    FootageKind.PORTRAIT: "filtered_aspect",
    FootageKind.SNIPPET: "filtered_duration",
    FootageKind.STUDIO: "not_soccer",
    FootageKind.ADVERT: "not_soccer",
    FootageKind.CARD: "not_soccer",
    FootageKind.OTHER_SPORT: "not_soccer",
}
_NAME_PARTICLES = frozenset({"de", "di", "el", "la", "le", "lo", "van", "von", "da", "dos"})


@dataclass(frozen=True)
class PostTruth:
    """`goal` is what the video shows, `found_for` the goals whose searches can find the post, the one it was written
    about first.

    `expected` has an entry for each of those.
    """

    about: str
    goal: str | None
    found_for: tuple[str, ...]
    recording: str
    kind: str
    expected: Mapping[str, str]
    in_window: bool
    source: PostPlatform


@dataclass(frozen=True)
class WorldTruth:
    """`posts` are in the order of the scenario's. `right_sources` names the sites on which goals have a clip that can
    be found in time.
    """

    seed: int
    size: WorldSize
    goals: tuple[SimulatedGoal, ...]
    posts: tuple[PostTruth, ...]
    footage: Mapping[str, FootageFile]
    right_sources: Mapping[str, frozenset[PostPlatform]]


def build_truth(
    seed: int,
    size: WorldSize,
    goals: Sequence[SimulatedGoal],
    generated: Sequence[GeneratedPost],
    footage: Mapping[str, FootageFile],
) -> WorldTruth:
    found = [_find_goals(one, goals) for one in generated]
    expected = _expected_outcomes(goals, generated, found)
    posts = tuple(
        _build_post_truth(one, which, expected[index])
        for index, (one, which) in enumerate(zip(generated, found, strict=True))
    )
    return WorldTruth(seed, size, tuple(goals), posts, footage, _find_right_sources(posts))


def _find_right_sources(posts: Sequence[PostTruth]) -> dict[str, frozenset[PostPlatform]]:
    found: dict[str, frozenset[PostPlatform]] = {}
    for post in posts:
        for name, word in post.expected.items():
            if post.in_window and name == post.goal and word.startswith((EXPECT_PUBLISH, EXPECT_DUPLICATE)):
                found[name] = found.get(name, frozenset()) | {post.source}
    return found


def build_query(goal: SimulatedGoal) -> str:
    """Build a typical search for this goal: any distinctive name of the scorer with any of the team."""
    names = [
        name
        for player in goal.credited_players
        for name in split_words(player.common_name)
        if name not in _NAME_PARTICLES
    ]
    teams = [f'"{name}"' for name in (goal.club.team.name, *goal.club.aliases)]
    return f"({' OR '.join(dict.fromkeys(names))}) ({' OR '.join(teams)})"


def post_minute(generated: GeneratedPost) -> float:
    """The minute of the world's clock."""
    return generated.about.minute + generated.post.seconds / 60


def _find_goals(generated: GeneratedPost, goals: Sequence[SimulatedGoal]) -> tuple[str, ...]:
    at = post_minute(generated)
    near = [goal for goal in goals if goal.minute - _MINUTES_BEFORE <= at <= goal.minute + _MINUTES_AFTER]
    document = SearchDocument(generated.post.text, generated.post.author)
    found = [goal.id for goal in near if compile_query(build_query(goal))(document)]
    return tuple(sorted(found, key=lambda name: name != generated.about.id))


def _expected_outcomes(
    goals: Sequence[SimulatedGoal], posts: Sequence[GeneratedPost], found: Sequence[tuple[str, ...]]
) -> list[dict[str, str]]:
    """For each goal, the first post of a recording is the one to publish, and later ones are copies."""
    verdicts: list[dict[str, str]] = [{} for _ in posts]
    for goal in goals:
        seen: set[str] = set()
        mine = [index for index, names in enumerate(found) if goal.id in names]
        for index in sorted(mine, key=lambda i: (post_minute(posts[i]), i)):
            verdicts[index][goal.id] = _expected_outcome(posts[index], goal, seen)
    return verdicts


def _expected_outcome(generated: GeneratedPost, goal: SimulatedGoal, seen: set[str]) -> str:
    if generated.post.host is not None:
        return EXPECT_UNREACHABLE
    if reason := _REJECTION_REASONS.get(generated.footage.kind):
        return f"reject:{reason}"
    if generated.footage.goal != goal.id or generated.footage.kind not in GOAL_KINDS:
        return "reject:wrong_minute"
    if generated.footage.recording in seen:
        return f"{EXPECT_DUPLICATE}:{generated.footage.recording}"
    seen.add(generated.footage.recording)
    return EXPECT_PUBLISH


def _build_post_truth(generated: GeneratedPost, found: tuple[str, ...], expected: Mapping[str, str]) -> PostTruth:
    in_window = generated.post.seconds <= SEARCH_WINDOW_SECONDS
    return PostTruth(
        generated.about.id,
        generated.footage.goal,
        found,
        generated.footage.recording,
        _post_kind(generated),
        expected,
        in_window,
        generated.post.source,
    )


def _post_kind(generated: GeneratedPost) -> str:
    """What a post is to the goal that it was written about."""
    if generated.tone is PostTone.OTHER_GOAL:
        same = str(generated.footage.goal).startswith(f"{generated.about.match.id}-")
        return "other_goal" if same else "wrong_match"
    return str(generated.footage.kind) if generated.tone is PostTone.PLAIN else str(generated.tone)
