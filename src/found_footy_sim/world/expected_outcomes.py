"""Ground truth of a simulated match day: the goals, and the right outcome of every post."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from found_footy_sim.script.model import PostPlatform
from found_footy_sim.world.footage import GOAL_KINDS, FootageFile, FootageKind
from found_footy_sim.world.goals import SimulatedGoal
from found_footy_sim.world.post_generation import SEARCH_WINDOW_SECONDS, GeneratedPost
from found_footy_sim.world.post_texts import NameStyle, PostTone
from found_footy_sim.world.sizes import WorldSize

EXPECT_PUBLISH, EXPECT_DUPLICATE, EXPECT_UNREACHABLE = "publish", "duplicate_of", "unreachable"
# A compilation with the goal in it: to publish and to reject it are both right.
EXPECT_EITHER = "either"
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


@dataclass(frozen=True)
class PostTruth:
    """`goal` is what the video shows, `shows` the same for compilations, which show several. `names` says how the post
    names the scorer. `expected` has an entry for each goal of the match it was written about, and for the shown one;
    for every other goal it shows another match.
    """

    about: str
    goal: str | None
    shows: tuple[str, ...]
    names: NameStyle
    recording: str
    kind: str
    expected: Mapping[str, str]
    in_window: bool
    source: PostPlatform

    @property
    def is_findable(self) -> bool:
        """Whether a search for the scorer and the team could find it, whatever it would have to know."""
        return self.names is not NameStyle.NONE

    def is_right_for(self, goal: str) -> bool:
        """Whether it shows the goal, can be fetched, and came while the goal is searched for."""
        word = self.expected.get(goal, "")
        return self.in_window and self.goal == goal and word.startswith((EXPECT_PUBLISH, EXPECT_DUPLICATE))


@dataclass(frozen=True)
class WorldTruth:
    """`posts` are in the order of the scenario's. `right_sources` names the sites on which goals have a clip that can
    be fetched in time, `findable_goals` those of which one such post names the scorer.
    """

    seed: int
    size: WorldSize
    goals: tuple[SimulatedGoal, ...]
    posts: tuple[PostTruth, ...]
    footage: Mapping[str, FootageFile]
    right_sources: Mapping[str, frozenset[PostPlatform]]
    findable_goals: frozenset[str]


def build_truth(
    seed: int,
    size: WorldSize,
    goals: Sequence[SimulatedGoal],
    generated: Sequence[GeneratedPost],
    footage: Mapping[str, FootageFile],
) -> WorldTruth:
    expected = _expected_outcomes(goals, generated)
    posts = tuple(_build_post_truth(one, words) for one, words in zip(generated, expected, strict=True))
    findable = frozenset(
        post.goal for post in posts if post.goal is not None and post.is_findable and post.is_right_for(post.goal)
    )
    return WorldTruth(seed, size, tuple(goals), posts, footage, _find_right_sources(posts), findable)


def _find_right_sources(posts: Sequence[PostTruth]) -> dict[str, frozenset[PostPlatform]]:
    found: dict[str, frozenset[PostPlatform]] = {}
    for post in posts:
        if post.goal is not None and post.is_right_for(post.goal):
            found[post.goal] = found.get(post.goal, frozenset()) | {post.source}
    return found


def post_minute(generated: GeneratedPost) -> float:
    """The minute of the world's clock."""
    return generated.about.minute + generated.post.seconds / 60


def _expected_outcomes(goals: Sequence[SimulatedGoal], posts: Sequence[GeneratedPost]) -> list[dict[str, str]]:
    """For each goal, the first post of a recording is the one to publish, and later ones are copies."""
    verdicts: list[dict[str, str]] = [{} for _ in posts]
    for goal in goals:
        seen: set[str] = set()
        mine = [index for index, post in enumerate(posts) if _concerns(post, goal)]
        for index in sorted(mine, key=lambda i: (post_minute(posts[i]), i)):
            verdicts[index][goal.id] = _expected_outcome(posts[index], goal, seen)
    return verdicts


def _concerns(generated: GeneratedPost, goal: SimulatedGoal) -> bool:
    return generated.about.match is goal.match or generated.footage.goal == goal.id


def _expected_outcome(generated: GeneratedPost, goal: SimulatedGoal, seen: set[str]) -> str:
    footage = generated.footage
    if generated.post.host is not None:
        return EXPECT_UNREACHABLE
    if reason := _REJECTION_REASONS.get(footage.kind):
        return f"reject:{reason}"
    if footage.goal != goal.id or footage.kind not in GOAL_KINDS:
        return _expected_for_other(footage, goal)
    if footage.recording in seen:
        return f"{EXPECT_DUPLICATE}:{footage.recording}"
    seen.add(footage.recording)
    return EXPECT_PUBLISH


def _expected_for_other(footage: FootageFile, goal: SimulatedGoal) -> str:
    """What is right for a clip that is not one of this goal alone."""
    if goal.id in footage.compiled:
        return EXPECT_EITHER
    shown = (footage.goal, *footage.compiled)
    same_match = any(name is not None and name.startswith(f"{goal.match.id}-") for name in shown)
    return "reject:wrong_goal" if same_match else "reject:wrong_match"


def _build_post_truth(generated: GeneratedPost, expected: Mapping[str, str]) -> PostTruth:
    in_window = generated.post.seconds <= SEARCH_WINDOW_SECONDS
    footage = generated.footage
    return PostTruth(
        generated.about.id,
        footage.goal,
        footage.compiled or ((footage.goal,) if footage.goal else ()),
        generated.names,
        footage.recording,
        _post_kind(generated),
        expected,
        in_window,
        generated.post.source,
    )


def _post_kind(generated: GeneratedPost) -> str:
    """What a post is to the goal that it was written about."""
    if generated.tone is PostTone.SPAM:
        return str(PostTone.SPAM)
    is_other = generated.footage.goal not in (None, generated.about.id)
    return "other_goal" if is_other else str(generated.footage.kind)
