"""How the bench counts recordings that are taken for copies of another."""

from bench.recordings_swallowed import GoalCount, PostedFile, count_goal, list_posted_files, render_counts
from found_footy.archive.dedup.copies import ClipCopy
from found_footy_sim.world.footage import FootageFile, FootageKind
from found_footy_sim.world.match_day import make_world


def file(name: str, recording: str, camera: int, seconds: float = 8.0) -> PostedFile:
    footage = FootageFile(name, recording, FootageKind.RIGHT, "g1", 23)
    return PostedFile(footage, ClipCopy(name, seconds, 1000, verified=True), camera)


FIRST, COPY, SECOND = file("a", "tv0", 1), file("b", "tv0", 1, 6.0), file("c", "tv1", 6)


def test_a_copy_is_no_recording_and_a_recording_that_no_clip_shows_is_swallowed() -> None:
    assert count_goal([FIRST, COPY, SECOND], [("a", "b")]) == GoalCount(2, 0, 2, 0)
    assert count_goal([FIRST, COPY, SECOND], []) == GoalCount(2, 0, 3, 1)
    assert count_goal([FIRST, COPY, SECOND], [("a", "b"), ("b", "c")]) == GoalCount(2, 1, 1, 0, ((1, 6),))


def test_the_report_has_shares_with_their_intervals_and_the_cameras() -> None:
    lines = render_counts([GoalCount(2, 1, 1, 0, ((1, 6),)), GoalCount(2, 0, 3, 1)]).splitlines()
    assert lines[1].startswith("recordings swallowed: 1 of 4 (0.6% to ")
    assert lines[2].startswith("clips that are copies of another: 1 of 4 (")
    assert lines[3] == "cameras 1 and 6 taken for each other: 1"


def test_only_posted_files_of_goals_with_several_are_compared() -> None:
    world = make_world(3, "small")
    posted = {post.clip for post in world.scenario.posts}
    files = list_posted_files(world)
    assert files
    for goal, mine in files.items():
        assert len(mine) == len({one.clip for one in mine}) > 1
        assert all(one.goal == goal and one.clip in posted for one in mine)
