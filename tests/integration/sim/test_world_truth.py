"""What a match day says is true of its posts, against what the posts show."""

from collections import Counter
from datetime import UTC, datetime

from found_footy.discovery.query.builder import build_query
from found_footy_sim.media.score_bug_state import score_bug_state_at
from found_footy_sim.search_query import SearchDocument, compile_query
from found_footy_sim.world import SimulatedWorld, WorldSize
from found_footy_sim.world.clubs import clubs_by_id
from found_footy_sim.world.expected_outcomes import PostTruth
from found_footy_sim.world.footage import GOAL_KINDS
from found_footy_sim.world.goals import SimulatedGoal
from found_footy_sim.x.posts import VideoRendition, XPost, XVideo
from found_footy_sim.x.search_query import compile_query as compile_on_the_site
from tests.integration.sim.test_world import every

NOW = datetime(2026, 11, 14, 15, 0, tzinfo=UTC)
TOLERANCE = 3


def verdicts(world: SimulatedWorld) -> list[tuple[int, PostTruth, SimulatedGoal, str]]:
    """Every post with every goal that it can be found for."""
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


def test_the_clock_on_a_clip_of_another_goal_says_another_minute() -> None:
    seen: Counter[str] = Counter()
    for world in every(WorldSize.FULL):
        for index, post, goal, word in verdicts(world):
            if word == "reject:wrong_minute":
                minute = minute_on_screen(world, index)
                assert minute is not None
                assert post.kind != "mirror"
                assert abs(minute - goal.clock_minute) > TOLERANCE
                assert not goal.at.extra or abs(goal.at.minute + minute - goal.clock_minute) > TOLERANCE
                seen[post.kind] += 1
    assert {"old_goal", "other_goal", "wrong_match"} <= set(seen)


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


def test_a_goal_has_a_right_clip_if_one_can_be_fetched_in_time() -> None:
    for world in every(WorldSize.FULL):
        wanted = {
            goal.id
            for index, post, goal, word in verdicts(world)
            if word.startswith(("publish", "duplicate")) and world.scenario.posts[index].seconds <= 540
        }
        assert wanted == set(world.truth.right_sources)


def test_what_people_call_a_player_is_found_by_his_name() -> None:
    for club in clubs_by_id().values():
        for player in club.players:
            for team in (club.team.name, *club.aliases):
                query = build_query(player.name, [club.team.name, *club.aliases], club.team.name)
                assert compile_query(query)(SearchDocument(f"{player.common_name} {team}", "fan")), (query, player)


def test_every_post_is_found_by_the_search_for_its_goal() -> None:
    for world in every(WorldSize.FULL):
        goals = {goal.id: goal for goal in world.truth.goals}
        for post, truth in zip(world.scenario.posts, world.truth.posts, strict=True):
            assert truth.found_for[0] == truth.about
            goal = goals[truth.about]
            query = build_query(goal.player.name, [goal.club.team.name, *goal.club.aliases], goal.club.team.name)
            assert compile_query(query)(SearchDocument(post.text, post.author)), (query, post.text)
            video = XVideo("1", (VideoRendition("https://v/1.mp4", 1, 640, 360),))
            posted = XPost("1", post.author, post.text, NOW, (video,))
            assert compile_on_the_site(f"{query} filter:videos", NOW)(posted), (query, post.text)
