"""Rendered clips. Small ones: what holds for 320 by 180 holds for the rest."""

from hashlib import md5
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image

from found_footy_sim import parse_scenario
from found_footy_sim.media.clip_library import ClipLibrary, render_clip
from found_footy_sim.media.clip_spec import ClipChange, ClipScene, SceneKind, TeamKit, _describe_change, content_key
from found_footy_sim.media.frames import render_frames
from found_footy_sim.media.graphics.score_bugs import BUG_DESIGNS, ScoreBugState, draw_bug, score_bug_state_at

HOME, AWAY = TeamKit("LIV", "#c8102e", "#c8102e"), TeamKit("ARS", "#f2d21b", "#1b2a6b")


def scene(**more: Any) -> ClipScene:
    reported = {"width": 320, "height": 180, "fps": 10, "duration": 3.0} | more
    return ClipScene(SceneKind(reported.pop("show", "goal")), HOME, AWAY, **reported)


def decoded(path: Path) -> list[np.ndarray[Any, Any]]:
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


def digest(path: Path) -> str:
    return md5(path.read_bytes(), usedforsecurity=False).hexdigest()


def green_share(picture: np.ndarray[Any, Any]) -> float:
    red, green, blue = (picture[..., channel].astype(int) for channel in range(3))
    return float(((green > red + 15) & (green > blue + 15)).mean())


def test_a_clip_is_h264_in_the_stated_size_rate_and_length_and_decodes_whole(tmp_path: Path) -> None:
    path = render_clip(scene(), (), tmp_path)
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.name == "h264"
        assert (stream.width, stream.height, float(stream.average_rate or 0)) == (320, 180, 10.0)
        assert stream.pix_fmt == "yuv420p"
        assert container.duration is not None
        assert container.duration / av.time_base == pytest.approx(3.0, abs=0.11)
    assert len(decoded(path)) == 30


def test_the_index_stands_in_front_so_that_a_browser_plays_at_once(tmp_path: Path) -> None:
    whole = render_clip(scene(), (), tmp_path).read_bytes()
    assert whole.index(b"moov") < whole.index(b"mdat")


def test_two_renders_of_the_same_content_are_the_same_bytes(tmp_path: Path) -> None:
    first = render_clip(scene(seed=9), (), tmp_path / "one")
    second = render_clip(scene(seed=9), (), tmp_path / "two")
    assert digest(first) == digest(second)


def test_a_rendered_file_is_kept_and_not_rendered_again(tmp_path: Path) -> None:
    first = render_clip(scene(), (), tmp_path)
    first.write_bytes(b"kept")
    assert render_clip(scene(), (), tmp_path).read_bytes() == b"kept"


@pytest.mark.parametrize("other", [{"seed": 2}, {"clock": 60}, {"score": (1, 1)}, {"design": "stack"}, {"angle": 2}])
def test_other_content_has_another_name(other: dict[str, Any]) -> None:
    assert content_key(scene()) != content_key(scene(**other))


@pytest.mark.parametrize(
    ("angle", "scorer_home"), [(1, True), (2, False), (3, True), (4, False), (5, True), (6, False)]
)
def test_most_of_the_picture_is_pitch_from_every_angle(angle: int, scorer_home: bool) -> None:
    pictures = [np.asarray(image) for image in render_frames(scene(angle=angle, scorer_home=scorer_home, fps=3))]
    assert min(green_share(picture) for picture in pictures) > 0.25
    assert float(np.mean([green_share(picture) for picture in pictures])) > 0.4


def test_a_talk_show_is_not_a_pitch() -> None:
    assert max(green_share(np.asarray(image)) for image in render_frames(scene(show="studio"))) < 0.05


def test_the_picture_moves() -> None:
    first, *_, last = (np.asarray(image).astype(int) for image in render_frames(scene()))
    assert np.abs(first - last).mean() > 5


@pytest.mark.parametrize("design", sorted(set(BUG_DESIGNS) - {"glass"}))
def test_the_bug_stands_still_within_a_second(design: str) -> None:
    pictures = [np.asarray(image).astype(int) for image in render_frames(scene(design=design, fps=8, duration=2.0))]
    panel, (left, top) = draw_bug(design, score_bug_state_at(scene(design=design, duration=2.0), 0.0), (320, 180))
    solid = np.asarray(panel)[..., 3] == 255
    spot = np.s_[top : top + panel.height, left : left + panel.width]
    assert solid.sum() > 200
    assert (pictures[0][spot][solid] == pictures[5][spot][solid]).all()


@pytest.mark.parametrize(
    ("at", "clock", "score"),
    [
        (0.0, "22:25", (1, 1)),
        (5.0, "22:30", (1, 1)),
        (5.9, "22:30", (1, 1)),
        (6.5, "22:31", (2, 1)),
        (9.9, "22:34", (2, 1)),
    ],
)
def test_the_bug_counts_seconds_and_the_goal(at: float, clock: str, score: tuple[int, int]) -> None:
    reading = score_bug_state_at(scene(clock=1350, score=(1, 1), duration=10.0), at)
    assert (reading.running_clock, reading.score) == (clock, score)


def test_in_added_time_the_clock_runs_on_or_stands_beside_a_small_one() -> None:
    reading = ScoreBugState("LIV", "ARS", ("red", "blue"), (0, 0), seconds=46 * 60 + 34, regular=45)
    assert (reading.running_clock, reading.frozen_clock, reading.added_seconds) == ("46:34", "45:00", 94)


@pytest.mark.parametrize(
    ("change", "size", "frames"),
    [
        (ClipChange(), (320, 180), 30),
        (ClipChange(start=1.0, end=2.5), (320, 180), 15),
        (ClipChange(width=160, height=90), (160, 90), 30),
        (ClipChange(fps=5), (320, 180), 15),
        (ClipChange(speed=1.5), (320, 180), 20),
        (ClipChange(portrait=True), (102, 180), 30),
        (ClipChange(mirror=True), (320, 180), 30),
        (ClipChange(letterbox=True), (320, 180), 30),
        (ClipChange(filmed=True), (320, 180), 30),
        (ClipChange(stamp="@sim"), (320, 180), 30),
        (ClipChange(recorder=0.0), (320, 180), 30),
        (ClipChange(end=2.0, then=scene(show="blank", duration=1.5)), (320, 180), 35),
    ],
)
def test_a_copy_has_other_bytes_and_the_size_and_length_of_its_change(
    tmp_path: Path, change: ClipChange, size: tuple[int, int], frames: int
) -> None:
    original, copy = render_clip(scene(), (), tmp_path), render_clip(scene(), (change,), tmp_path)
    pictures = decoded(copy)
    assert digest(original) != digest(copy)
    assert (len(pictures), pictures[0].shape[1::-1]) == (frames, size)


def test_a_recorders_timer_counts_and_nothing_else_changes(tmp_path: Path) -> None:
    plain = decoded(render_clip(scene(), (ClipChange(),), tmp_path))
    timed = decoded(render_clip(scene(), (ClipChange(recorder=3.0),), tmp_path))
    corner = (slice(0, 40), slice(200, 320))
    difference = [np.abs(one.astype(int) - other) for one, other in zip(plain, timed, strict=True)]
    assert min(one[corner].mean() for one in difference) > 3 * max(one[60:, :200].mean() for one in difference)
    assert np.abs(timed[2][corner].astype(int) - timed[22][corner]).mean() > 2


def test_files_keep_their_names_when_a_change_learns_something_new() -> None:
    assert content_key(scene(), (ClipChange(),)) == content_key(scene(), (ClipChange(recorder=None, then=None),))
    assert "recorder" not in str(_describe_change(ClipChange()))
    names = {
        content_key(scene(), (change,)) for change in (ClipChange(), ClipChange(recorder=0.0), ClipChange(then=scene()))
    }
    assert len(names) == 3


def test_a_plain_copy_shows_the_same_pictures_and_a_mirrored_one_their_mirror(tmp_path: Path) -> None:
    original = decoded(render_clip(scene(), (), tmp_path))[10].astype(int)
    plain = decoded(render_clip(scene(), (ClipChange(),), tmp_path))[10].astype(int)
    mirrored = decoded(render_clip(scene(), (ClipChange(mirror=True),), tmp_path))[10].astype(int)
    assert np.abs(original - plain).mean() < 6
    assert np.abs(original[:, ::-1] - mirrored).mean() < 6 < np.abs(original - mirrored).mean()


def test_a_scenario_offers_its_clips_in_two_sizes_unless_they_are_small(tmp_path: Path) -> None:
    script = 'fixture 1\nhome "H"(1)\naway "A"(2)\nat 9 goal home "X"(3) as g\n'
    scenario = parse_scenario(
        "test", script + "clip big of g 1280x720\nclip small from big 640x360 trim 1s-4s\nclip up from big portrait"
    )
    library = ClipLibrary(scenario, tmp_path)
    sizes = {clip.name: [variant[:2] for variant in library.variants(clip)] for clip in scenario.clips}
    assert sizes == {"big": [(1280, 720), (640, 360)], "small": [(640, 360)], "up": [(404, 720)]}
    assert library.duration(scenario.get_clip("small")) == 3.0


def test_plain_colour_comes_in_any_shape() -> None:
    (picture,) = render_frames(ClipScene(SceneKind.BLANK, HOME, AWAY, width=50, height=400, fps=1, duration=1.0))
    assert isinstance(picture, Image.Image)
    assert picture.size == (50, 400)
