"""Reads team names and score around a clock that was found."""

from collections.abc import Iterator

from found_footy.domain.outcomes import Finding
from found_footy.vision.bug_text import BugText, find_name_pairs, read_bug_texts
from found_footy.vision.expectation import ExpectedGoal
from found_footy.vision.frames import ClipFrames, Frame
from found_footy.vision.local.clock_readings import ClockReading, find_panel_rows
from found_footy.vision.local.scoreboard import BugRows, ScoreboardReading, to_bug_rows
from found_footy.vision.local.scoreboard_search import TextRecognizer, flip_frame
from found_footy.vision.local.text_boxes import RelativeBox, group_rows
from found_footy.vision.shown_score import ShownMatch, judge_score
from found_footy.vision.teams import choose_reading, judge_pair

# A contradiction needs two frames; more cost time and add little.
_MAX_FRAMES_READ = 2
_TOP_PART, _BOTTOM_PART = RelativeBox(0.0, 0.0, 1.0, 1 / 3), RelativeBox(0.0, 0.75, 1.0, 1.0)


def read_bugs(
    recognizer: TextRecognizer, clip: ClipFrames, board: ScoreboardReading, expected: ExpectedGoal
) -> dict[float, BugText]:
    """Return names and score by time of frame. The place of the bug is read, larger, where the search has not read all
    of it: single digits are easily missed. Once a frame has confirmed both, the others are not read, unless a score
    must be told from that of another goal.
    """
    found: dict[float, BugText] = {}
    if not expected.needs_score_bug:
        return found
    for frame in _select_frames(clip, board):
        reading = _interpret(board.bug_rows.get(frame.at, ()), expected)
        if reading is None or reading.score is None:
            upright = flip_frame(frame) if board.is_mirrored else frame
            reading = _interpret(_read_rows(recognizer, upright, board), expected) or reading
        if reading is not None:
            found[frame.at] = reading
            if _is_conclusive(reading, expected, board):
                break
    return found


def _interpret(rows: BugRows, expected: ExpectedGoal) -> BugText | None:
    return choose_reading(read_bug_texts(rows), expected.teams, find_name_pairs(rows))


def _select_frames(clip: ClipFrames, board: ScoreboardReading) -> list[Frame]:
    """The frames with a clock; those whose bug was read before come first."""
    shown = [frame for frame in clip.full_size_frames if frame.at in board.clocks]
    return sorted(shown, key=lambda frame: (frame.at not in board.bug_rows, frame.at))[:_MAX_FRAMES_READ]


def _read_rows(recognizer: TextRecognizer, frame: Frame, board: ScoreboardReading) -> BugRows:
    clock = board.clocks[frame.at]
    boxes = recognizer.recognize_text(frame.pixels, _choose_part(clock, board))
    return to_bug_rows(find_panel_rows(group_rows(boxes, frame.width / frame.height), clock))


def _choose_part(clock: ClockReading, board: ScoreboardReading) -> RelativeBox:
    """The place of the bug, if it is known, else the part of the picture that holds the clock."""
    known = clock.panel or (board.location.panel if board.location else None)
    if known is not None:
        return known.expand(clock.box.height, clock.box.height)
    return _TOP_PART if clock.box.top < _BOTTOM_PART.top else _BOTTOM_PART


def _is_conclusive(reading: BugText, expected: ExpectedGoal, board: ScoreboardReading) -> bool:
    return all(_iter_confirmations(reading, expected, board))


def _iter_confirmations(reading: BugText, expected: ExpectedGoal, board: ScoreboardReading) -> Iterator[bool]:
    order = judge_pair(reading.first, reading.second, expected.teams) if expected.teams else None
    yield order is None or order.finding is Finding.CONFIRMED
    if expected.change is not None:
        is_reversed = order is not None and order.home_first is False
        scores = [reading.score.reversed if is_reversed else reading.score] if reading.score else []
        minutes = frozenset(clock.match_seconds // 60 for clock in board.clocks.values())
        result = judge_score(ShownMatch(tuple(scores), minutes), expected.change, expected.others)
        yield result.finding is Finding.CONFIRMED
