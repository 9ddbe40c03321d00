"""What a match day says is true of its posts, against what the posts show."""

from found_footy_sim.media.graphics.score_bug_state import score_bug_state_at
from found_footy_sim.search_query import split_words
from found_footy_sim.world import SimulatedWorld, WorldSize
from found_footy_sim.world.expected_outcomes import PostTruth
from found_footy_sim.world.footage import GOAL_KINDS
from found_footy_sim.world.goals import SimulatedGoal
from found_footy_sim.world.post_texts import NameStyle
from tests.integration.sim.test_world import every

TOLERANCE = 3


def verdicts(world: SimulatedWorld) -> list[tuple[int, PostTruth, SimulatedGoal, str]]:
    """Every post with every goal that the truth has a word about."""
    goals = {goal.id: goal for goal in world.truth.goals}
    return [
        (index, post, goals[name], word)
        for index, post in enumerate(world.truth.posts)
        for name, word in post.expected.items()
    ]


def minute_on_screen(world: SimulatedWorld, index: int) -> int | None:
    """What can be read in the middle of the video, none if there is no score bug or nothing that plays."""
    clip = world.scenario.get_clip(world.scenario.posts[index].clip)
    while clip.parent:
        clip = world.scenario.get_clip(clip.parent)
    assert clip.scene is not None
    if clip.scene.show != "goal" or clip.scene.design == "none":
        return None
    return score_bug_state_at(clip.scene, clip.scene.duration / 2).seconds // 60


def test_the_clock_on_a_right_clip_says_the_goals_minute() -> None:
    for size in (WorldSize.SMALL, WorldSize.FULL):
        for world in every(size):
            for index, post, goal, word in verdicts(world):
                minute = minute_on_screen(world, index)
                if word.startswith(("publish", "duplicate_of")) and minute is not None:
                    assert abs(minute - goal.clock_minute) <= TOLERANCE
                    assert post.goal == goal.id


def test_what_shows_another_goal_is_to_be_rejected_as_what_it_is() -> None:
    for world in every(WorldSize.FULL):
        for _, post, goal, word in verdicts(world):
            other = {name for name in post.shows if name != goal.id}
            if word == "reject:wrong_goal":
                assert any(name.startswith(f"{goal.match.id}-") for name in other)
                assert goal.id not in post.shows
            if word == "reject:wrong_match":
                assert not any(name.startswith(f"{goal.match.id}-") for name in post.shows)
            assert (word == "either") == (post.kind == "compilation" and goal.id in post.shows) or word == "unreachable"


def test_every_post_has_a_word_for_the_goal_it_is_about_and_for_the_one_it_shows() -> None:
    for world in every(WorldSize.FULL):
        for post in world.truth.posts:
            assert {post.about, *post.shows} <= set(post.expected)


def test_one_copy_of_each_recording_is_to_be_published_and_it_is_the_first() -> None:
    for world in every(WorldSize.FULL):
        first: dict[tuple[str, str], int] = {}
        for index, post, goal, word in verdicts(world):
            key = goal.id, post.recording
            if word == "publish":
                assert key not in first
                first[key] = index
            elif word.startswith("duplicate_of"):
                assert word == f"duplicate_of:{post.recording}"
                assert first[key] < index


def test_copies_share_their_recording_and_what_it_shows() -> None:
    for world in every(WorldSize.FULL):
        for footage in world.truth.footage.values():
            original = world.truth.footage[footage.recording]
            assert (footage.goal, footage.clock) == (original.goal, original.clock)
            assert footage.kind not in GOAL_KINDS or footage.goal is not None


def test_a_goal_has_a_right_clip_if_one_can_be_fetched_in_time_and_a_findable_one_if_it_names_the_scorer() -> None:
    for world in every(WorldSize.FULL):
        right = [
            (goal.id, post)
            for index, post, goal, word in verdicts(world)
            if word.startswith(("publish", "duplicate")) and world.scenario.posts[index].seconds <= 540
        ]
        assert {goal for goal, _ in right} == set(world.truth.right_sources)
        assert {goal for goal, post in right if post.names is not NameStyle.NONE} == world.truth.findable_goals


def test_only_usual_posts_have_the_scorers_name_as_a_word() -> None:
    for world in every(WorldSize.FULL):
        goals = {goal.id: goal for goal in world.truth.goals}
        for post, truth in zip(world.scenario.posts, world.truth.posts, strict=True):
            name = set(split_words(goals[truth.about].player.common_name))
            written = set(split_words(post.text))
            assert name <= written if truth.names is NameStyle.USUAL else not name & written, post.text
