"""Measures of pictures: the pitch, other sports' words, and whether a score bug stands still."""

import sys
from subprocess import run

import cv2
import numpy as np
import pytest

from found_footy.vision.frames import Frame, Pixels
from found_footy.vision.local import filmed_screen
from found_footy.vision.local.football import find_other_sport, is_football, is_football_without_model, load_soccer_head
from found_footy.vision.local.pitch import PitchFeatures, measure_pitch
from found_footy.vision.local.text_boxes import RelativeBox, TextBox, TextRow
from tests.support.patience import PATIENCE_SECONDS

GREEN, GRAY, WHITE = (40, 140, 50), (120, 120, 120), (250, 250, 250)
BUG = RelativeBox(0.04, 0.04, 0.36, 0.16)


def picture(colour: tuple[int, int, int], size: tuple[int, int] = (360, 640)) -> Pixels:
    return np.full((*size, 3), colour, np.uint8)


def test_a_pitch_is_green_with_pale_lines() -> None:
    pitch = picture(GREEN)
    pitch[:120] = GRAY
    cv2.line(pitch, (100, 240), (540, 240), WHITE, 3)
    found = measure_pitch(pitch)
    assert found.green_share == pytest.approx(0.66, abs=0.03)
    assert found.lower_green_share > 0.95
    assert found.largest_area_share > 0.25
    assert found.line_share > 0.0


def test_a_gray_room_is_no_pitch() -> None:
    assert measure_pitch(picture(GRAY)).vector == (0.0, 0.0, 0.0, 0.0)


def test_the_head_has_a_weight_for_every_number() -> None:
    head = load_soccer_head()
    assert head.weights.shape == (2048 + 4,)
    shares = head.probabilities(np.zeros((2, 2048), np.float32), [PitchFeatures(0, 0, 0, 0)] * 2)
    assert all(0.0 < share < 0.5 for share in shares)


def test_the_weaker_rule_requires_green_and_a_clock() -> None:
    green, gray = PitchFeatures(0.6, 0.8, 0.5, 0.0), PitchFeatures(0.1, 0.1, 0.1, 0.0)
    assert is_football_without_model([green], has_clock=True)
    assert not is_football_without_model([green], has_clock=False)
    assert not is_football_without_model([gray], has_clock=True)


def row(words: str) -> TextRow:
    return TextRow((TextBox(RelativeBox(0, 0, 1, 0.1), words, 0.9),))


@pytest.mark.parametrize(
    "words", ["KC 14 SF 10 1st & 10 12:34", "Q3 08:12", "4th QTR", "2nd down", "SET 2  6-4", "3RD PERIOD", "3rd & goal"]
)
def test_other_sports_are_recognized(words: str) -> None:
    assert find_other_sport([row("ABC"), row(words)]) is not None


@pytest.mark.parametrize(
    "words",
    [
        "LIV 1-0 ARS 34:12",
        "2ND HALF",
        "1ST HALF 12:00",
        "COUNTDOWN",
        "SETUBAL 2-1",
        "+4",
        "UEFA CHAMPIONS LEAGUE QUARTER-FINAL",
        "WORLD CUP QUARTER FINAL",
        "QUARTERFINAL",
        "SAKA SETS UP HAVERTZ",
        "SET PIECE GOALS 12",
        "HAALAND SETS NEW RECORD",
        "LAP OF HONOUR",
        "OVERS 2.5 @ 1.90",
        "2 SETS OF FANS",
        "2ND QUARTER-FINAL",
        "1ST QUARTER FINAL",
        "QTR-FINAL",
        "QTR FINALS",
        "1ST PERIOD OF EXTRA TIME",
    ],
)
def test_football_is_not_taken_for_another_sport(words: str) -> None:
    assert find_other_sport([row(words)]) is None


def reported(
    frames: list[Frame], bug: RelativeBox | None, shown: Frame | None = None
) -> filmed_screen.FilmedScreenResult:
    """The clock was read in the first of the frames, or in another one."""
    return filmed_screen.detect_filmed_screen(frames, bug, bug, shown or (frames[0] if frames else None))


def film(shift: int, *, mark: bool = False, bug_in: range = range(8), tiny: bool = False) -> list[Frame]:
    """Eight frames of a moving picture with a bug, displaced by up to `shift` pixels as a hand would."""
    dice = np.random.default_rng(3)
    grain = cv2.resize(dice.integers(60, 180, (60, 120), np.uint8), (1400, 800), interpolation=cv2.INTER_CUBIC)
    frames = []
    for number in range(8):
        gray = grain[200 + number * 9 : 560 + number * 9, 300 - number * 13 : 940 - number * 13].copy()
        x, y = round(shift * np.sin(number * 1.3)), round(shift * np.cos(number * 1.7))
        if number in bug_in:
            (right, foot), letters, bold = ((60, 29), 0.22, 1) if tiny else ((210, 50), 0.7, 2)
            cv2.rectangle(gray, (40 + x, 22 + y), (right + x, foot + y), 235, -1)
            text = f"34:1{number}" if tiny else f"34:1{number} LIV"
            cv2.putText(gray, text, (42 + x, foot - 2 + y), cv2.FONT_HERSHEY_SIMPLEX, letters, 10, bold)
        if mark:
            cv2.putText(gray, "@uploader channel", (300, 340), cv2.FONT_HERSHEY_SIMPLEX, 0.9, 250, 2)
        frames.append(Frame(number * 0.35, np.stack([gray] * 3, axis=-1)))
    return frames


def test_a_bug_that_stands_still_is_a_direct_picture() -> None:
    assert reported(film(0), BUG).is_filmed is False


def test_a_score_bug_that_moves_was_filmed() -> None:
    assert reported(film(6), BUG).is_filmed is True


@pytest.mark.parametrize(("shift", "filmed"), [(0, False), (1, None), (6, True)])
def test_a_score_bug_with_few_edges_is_judged_by_its_movement(shift: int, filmed: bool | None) -> None:
    seen = reported(film(shift, tiny=True), RelativeBox(0.06, 0.06, 0.1, 0.085))
    assert seen.still_pixels < 200
    assert seen.is_filmed is filmed


def test_a_place_with_nothing_in_it_says_nothing() -> None:
    dark = [Frame(frame.at, frame.pixels.copy()) for frame in film(0, bug_in=range(0))]
    for frame in dark:
        frame.pixels[:60] = 0
    assert reported(dark, BUG).is_filmed is None


def test_an_uploaders_mark_does_not_make_a_filmed_screen_direct() -> None:
    assert reported(film(6, mark=True), BUG).is_filmed is True


def test_a_bug_that_a_cut_takes_away_says_nothing() -> None:
    assert reported(film(0, bug_in=range(3)), BUG).is_filmed is None


@pytest.mark.parametrize("shift", [0, 6])
def test_without_a_clock_a_filmed_screen_cannot_be_recognized(shift: int) -> None:
    assert reported(film(shift, mark=True), None).is_filmed is None


def test_bars_do_not_make_a_filmed_screen_direct() -> None:
    """They reach into the place of the bug, which is not in these frames: they are of a replay."""
    shown, *replay = [Frame(frame.at, frame.pixels.copy()) for frame in [film(6)[0], *film(6, bug_in=range(0))]]
    for frame in (shown, *replay):
        frame.pixels[:22] = frame.pixels[-22:] = 0
        frame.pixels[:, :30] = frame.pixels[:, -30:] = 0
    assert reported(replay, BUG, shown).is_filmed is None


def test_a_slow_pan_of_a_replay_does_not_sway_as_a_filmed_score_bug_does() -> None:
    wide = film(0, bug_in=range(0))[0].pixels
    pan = [Frame(number * 0.35, np.roll(wide, 3 * number, axis=1)) for number in range(8)]
    assert reported(pan, BUG).is_filmed is True, "if it were the bug"
    assert reported(pan, BUG, film(0)[0]).is_filmed is None


def test_a_mark_over_the_bug_does_not_make_a_filmed_screen_direct() -> None:
    """The clock sways beside it."""
    frames = film(9)
    for frame in frames:
        frame.pixels[14:58, 150:230] = 0
        frame.pixels[20:52, 152:228:6] = 255
    clock = RelativeBox(42 / 640, 26 / 360, 110 / 640, 50 / 360)
    assert filmed_screen.detect_filmed_screen(frames, BUG, BUG, frames[3]).is_filmed is False, "by the whole of the bug"
    assert filmed_screen.detect_filmed_screen(frames, BUG, clock, frames[3]).is_filmed is None


def test_the_edges_of_bars_do_not_count_as_a_bug_that_stands_still() -> None:
    swaying = [Frame(frame.at, frame.pixels.copy()) for frame in film(6)]
    for frame in swaying:
        frame.pixels[:20] = 0
    assert reported(swaying, BUG).still_pixels < 200
    assert reported(swaying, BUG).is_filmed is not False


STEEP, FLAT = PitchFeatures(0.9, 0.95, 0.9, 0.01), PitchFeatures(0.5, 0.7, 0.4, 0.01)


@pytest.mark.parametrize(
    ("likely", "pitch", "proven", "is_it"),
    [
        (0.6, FLAT, False, True),
        (0.45, FLAT, False, False),
        (0.45, STEEP, False, True),
        (0.32, STEEP, False, True),
        (0.2, STEEP, False, False),
        (0.45, FLAT, True, True),
        (0.1, FLAT, True, False),
    ],
)
def test_a_doubtful_picture_is_football_if_it_is_all_pitch_or_its_clock_proves_the_goal(
    likely: float, pitch: PitchFeatures, proven: bool, is_it: bool
) -> None:
    assert is_football(likely, [pitch, pitch], 0.5, has_goal_clock=proven) is is_it


def test_a_picture_that_stands_still_says_nothing() -> None:
    assert reported([Frame(n * 0.35, film(0)[0].pixels) for n in range(8)], BUG).is_filmed is None


def test_too_few_frames_say_nothing() -> None:
    assert reported(film(6)[:3], BUG).is_filmed is None
    assert reported([], BUG).is_filmed is None


def test_processes_that_read_no_frames_do_not_load_the_heavy_libraries() -> None:
    code = (
        "import sys, found_footy.vision.reader_factory, found_footy.vision.verdict, found_footy.vision.settings;"
        "print([n for n in ('cv2', 'onnxruntime', 'rapidocr', 'onnx') if n in sys.modules])"
    )
    done = run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS)
    assert done.stdout.strip() == "[]"
