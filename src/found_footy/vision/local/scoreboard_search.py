"""Finds the match clock in the frames of a clip with as little text recognition as possible."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Protocol

import numpy as np

from found_footy.vision.clock_agreement import is_recorder_timer, is_same_clock
from found_footy.vision.frames import ClipFrames, Frame, Pixels
from found_footy.vision.local.clock_readings import (
    ClockReading,
    find_clocks,
    find_panel_rows,
    find_rows_beside_clocks,
    find_running_pair,
    find_static_clocks,
    is_on_even_pace,
)
from found_footy.vision.local.scoreboard import (
    BugRows,
    ScoreboardReading,
    ScoreBugLocation,
    locate_score_bug,
    to_bug_rows,
)
from found_footy.vision.local.text_boxes import RelativeBox, TextBox, TextRow, group_rows, join_boxes

_TOP_PART, _BOTTOM_PART = RelativeBox(0.0, 0.0, 1.0, 1 / 3), RelativeBox(0.0, 0.75, 1.0, 1.0)
# Frames narrower than this have text too small for fast recognition.
_MIN_WIDTH_FOR_FAST_OCR = 500
_MAX_LOCATIONS = 3
# Least score of a line that is recognized without detecting it first.
_MIN_LINE_SCORE = 0.85
# How many small frames are read to see whether a clock that one frame shows runs; preferably this many seconds away.
_MAX_SMALL_FRAMES_READ, _PREFERRED_SECONDS_APART = 4, 1.0
# For how many clocks that only one frame shows a neighbour frame is decoded.
_MAX_NEIGHBOURS = 2
# Minutes by which a clock may differ within a clip that has no cut: the longest clips last one minute.
_MAX_MINUTES_PER_SHOT = 2


class TextRecognizer(Protocol):
    """Recognizes text in a part of a picture: all of it, or the one line that fills the part."""

    def recognize_text(self, picture: Pixels, part: RelativeBox, *, thorough: bool = False) -> list[TextBox]: ...

    def recognize_line(self, picture: Pixels, part: RelativeBox) -> TextBox | None: ...


def read_scoreboard(
    text: TextRecognizer, clip: ClipFrames, known: Sequence[ScoreBugLocation] = ()
) -> ScoreboardReading:
    """`known` are locations to read first: where earlier clips of this broadcast had their bug."""
    return ScoreboardSearch(text, known).search_clip(clip)


ClockPair = tuple[float, ClockReading, float, ClockReading]
ClockPredicate = Callable[[ClockReading], bool]


def _accept_any_clock(_: ClockReading) -> bool:
    return True


class ScoreboardSearch:
    """State of the search in one clip. `is_goal_clock` tells whether a clock fits the goal: if an edited clip shows
    several minutes, that clock is the one to confirm.
    """

    def __init__(
        self,
        recognizer: TextRecognizer,
        known_locations: Sequence[ScoreBugLocation] = (),
        is_goal_clock: ClockPredicate = _accept_any_clock,
    ) -> None:
        self._recognizer = recognizer
        self._is_goal_clock = is_goal_clock
        self._hinted_locations = self._known_locations = list(known_locations)[:_MAX_LOCATIONS]
        self._clocks_by_frame: dict[float, list[ClockReading]] = {}
        self._clocks_by_small_frame: dict[float, list[ClockReading]] = {}
        self._small_frames_read: set[tuple[float, RelativeBox]] = set()
        self._parts_with_text: set[RelativeBox] = set()
        self._rows: list[TextRow] = []
        self._bug_rows: dict[float, BugRows] = {}
        self._ocr_calls = 0
        self._line_ocr_calls = 0
        self._mirror: ScoreboardSearch | None = None

    def search_clip(self, clip: ClipFrames) -> ScoreboardReading:
        """Raises FrameNotLoaded if the decoded frames do not suffice; called again with that frame it continues from
        there.
        """
        if (
            self._search_frames(clip.outer_frames)
            or self._search_mirror_image(clip.outer_frames)
            or self._confirm_in_any_small_frame(clip.small_frames)
        ):
            return self.build_result()
        middle = self._select_middle(clip)
        if not (self._search_frames([middle] if middle else []) or self._confirm_in_any_small_frame(clip.small_frames)):
            self._search_neighbours(clip)
        if not self._has_any_confirmed():
            self.search_thoroughly(clip.outer_frames)
            self._confirm_in_any_small_frame(clip.small_frames)
            self._search_neighbours(clip)
        return self.build_result()

    def search_outer_frames(self, clip: ClipFrames) -> bool:
        """Whether the outer frames alone show a clock of the goal; `search_clip` continues from there."""
        return self._search_frames(clip.outer_frames) and self.has_goal_clock()

    def _select_middle(self, clip: ClipFrames) -> Frame | None:
        """The middle helps if nothing was read or two readings run at an odd speed; otherwise a neighbour of the frame
        that was read is more likely to show the same clock.
        """
        helps = not self._find_all_unconfirmed() or (any(self._iter_running_pairs()) and not self._has_any_confirmed())
        return clip.require_middle() if helps or clip.load_neighbour is None or clip.has_loaded_middle else None

    def _search_neighbours(self, clip: ClipFrames) -> None:
        """Read a neighbour frame for each clock that only one frame shows, while that can decide: clocks of the goal
        first, others only if none is confirmed.
        """
        taken = {frame.at for frame in (*clip.outer_frames, clip.middle_frame) if frame is not None}
        singles = [(at, clock) for at, clock in self._find_all_unconfirmed() if at in taken]
        for at, clock in sorted(singles, key=lambda single: not self._is_goal_clock(single[1])):
            if self._has_any_goal_clock() or (self._has_any_confirmed() and not self._is_goal_clock(clock)):
                return
            if at not in clip.neighbours and len(clip.neighbours) >= _MAX_NEIGHBOURS:
                continue
            if (frame := clip.require_neighbour(at).frame) is not None:
                self.search_near_clock(frame, at)
                if self._mirror is not None:
                    self._mirror.search_near_clock(flip_frame(frame), at)

    def search_near_clock(self, frame: Frame, at: float) -> None:
        """Search where the frame at that time has a clock; does nothing if it has none or this frame was searched
        before.
        """
        clocks = self._clocks_by_frame.get(at)
        if clocks and frame.at not in self._clocks_by_frame:
            self._known_locations = [locate_score_bug(clock) for clock in clocks][:_MAX_LOCATIONS]
            self.search_frame(frame)

    def _find_all_unconfirmed(self) -> list[tuple[float, ClockReading]]:
        """Clocks that only one frame shows, unmirrored and mirrored."""
        mirrored = self._mirror.find_unconfirmed().items() if self._mirror else ()
        return [*self.find_unconfirmed().items(), *mirrored]

    def _has_any_goal_clock(self) -> bool:
        return any(search.has_goal_clock() for search in (self, self._mirror) if search is not None)

    def _has_any_confirmed(self) -> bool:
        return any(search.find_confirmed() for search in (self, self._mirror) if search is not None)

    def has_goal_clock(self) -> bool:
        """Whether a clock of the goal is confirmed."""
        return any(map(self._is_goal_clock, self.find_confirmed().values()))

    def is_conclusive(self) -> bool:
        """Whether a clock is confirmed and no unconfirmed one could decide more."""
        return bool(self.find_confirmed()) and (
            self.has_goal_clock() or not any(map(self._is_goal_clock, self.find_unconfirmed().values()))
        )

    def _search_frames(self, frames: Iterable[Frame]) -> bool:
        for frame in frames:
            if frame.at not in self._clocks_by_frame:
                self.search_frame(frame)
            if self.is_conclusive():
                return True
        return False

    def _search_mirror_image(self, frames: Sequence[Frame]) -> bool:
        """Some copies are mirrored. Tried only in parts with text in which no clock was found."""
        if self._mirror is None:
            self._mirror = ScoreboardSearch(self._recognizer, self._hinted_locations, self._is_goal_clock)
            for frame in map(flip_frame, frames):
                self._mirror.search_parts(frame, sorted(self._parts_with_text, key=lambda part: part.top))
        return self._mirror.is_conclusive()

    def _confirm_in_any_small_frame(self, small: Sequence[Frame]) -> bool:
        """Whether small frames confirm a clock that only one large frame shows."""
        if self.confirm_in_small_frames(small):
            return True
        return self._mirror is not None and self._mirror.confirm_in_small_frames([flip_frame(frame) for frame in small])

    def confirm_in_small_frames(self, small: Sequence[Frame]) -> bool:
        for at, clock in self.find_unconfirmed().items():
            place = locate_score_bug(clock)
            away = sorted(
                small,
                key=lambda frame: (
                    abs(frame.at - at) < _PREFERRED_SECONDS_APART,
                    abs(abs(frame.at - at) - _PREFERRED_SECONDS_APART),
                ),
            )
            for frame in away[:_MAX_SMALL_FRAMES_READ]:
                if (frame.at, place.clock_box) not in self._small_frames_read:
                    self._small_frames_read.add((frame.at, place.clock_box))
                    self._clocks_by_small_frame[frame.at] = self._clocks_by_small_frame.get(
                        frame.at, []
                    ) + self._read_known_locations(frame, [place])
                if self.is_conclusive():
                    return True
        return self.is_conclusive()

    def search_frame(self, frame: Frame) -> None:
        """Search the known locations first, then the top of the picture, then its bottom."""
        clocks = self._read_known_locations(frame, self._known_locations)
        if _is_inconclusive(clocks):
            clocks = self._read_parts(frame, [place.bug for place in self._known_locations]) or clocks
        if _is_inconclusive(clocks):
            clocks = self._read_parts(frame, [_TOP_PART]) or clocks or self._read_parts(frame, [_BOTTOM_PART])
        elif self._is_half_unknown(clocks):
            clocks = (
                self._read_parts(frame, [_TOP_PART if clocks[0].bug.top < _BOTTOM_PART.top else _BOTTOM_PART]) or clocks
            )
        self._store_clocks(frame, clocks)

    def search_parts(self, frame: Frame, parts: Sequence[RelativeBox]) -> None:
        """Search the known locations, then these parts; thoroughly if the frame is small."""
        clocks = self._read_known_locations(frame, self._known_locations)
        if (_is_inconclusive(clocks) or self._is_half_unknown(clocks)) and parts:
            clocks = self._read_parts(frame, parts, slow=frame.width < _MIN_WIDTH_FOR_FAST_OCR) or clocks
        self._store_clocks(frame, clocks)

    def _is_half_unknown(self, clocks: Sequence[ClockReading]) -> bool:
        """Whether a clock read at a location known from other clips may have restarted with the second half. The label
        of the half can be anywhere beside it, and may have been absent in the first half.
        """
        return self._known_locations is self._hinted_locations and any(clock.is_of_any_half for clock in clocks)

    def search_thoroughly(self, frames: Iterable[Frame]) -> None:
        """Search with slow, thorough recognition until it stops helping."""
        for frame in self._frames_to_search_again(list(frames)):
            parts = (
                [_TOP_PART]
                if frame.width < _MIN_WIDTH_FOR_FAST_OCR or not self._known_locations
                else [self._known_locations[0].bug]
            )
            clocks = self._read_parts(frame, parts, slow=True)
            if not clocks and not self.has_clock:
                return
            self._store_clocks(frame, clocks or self._clocks_by_frame.get(frame.at, []))
            if self.is_conclusive():
                return

    def _frames_to_search_again(self, frames: Sequence[Frame]) -> Sequence[Frame]:
        """The frames without a clock; all, if the clocks that were read contradict each other."""
        blank = [frame for frame in frames if not self._clocks_by_frame.get(frame.at)]
        return blank or frames

    @property
    def has_clock(self) -> bool:
        return any(self._clocks_by_frame.values())

    def find_confirmed(self) -> dict[float, ClockReading]:
        """Return every reading of a clock that runs at about real speed; if there is none, two at another speed that a
        third one confirms. One of two may be from a small frame, not both: small frames are less reliable.
        """
        pairs = list(self._iter_running_pairs())
        steady = [pair for pair in pairs if is_same_clock(pair[1], pair[3], pair[2] - pair[0])]
        chosen = steady or [pair for pair in pairs if self._is_confirmed_by_third(pair)][:1]
        found: dict[float, ClockReading] = {}
        for at, one, then, other in chosen:
            found.setdefault(at, one)
            found.setdefault(then, other)
        return found

    def _iter_running_pairs(self) -> Iterator[ClockPair]:
        for (at, first), (then, second) in combinations(self._all_readings(), 2):
            large = at in self._clocks_by_frame or then in self._clocks_by_frame
            if large and (found := find_running_pair(first, second, then - at)) is not None:
                yield at, found[0], then, found[1]

    def _is_confirmed_by_third(self, pair: ClockPair) -> bool:
        at, one, then, other = pair
        return any(
            is_on_even_pace(one, other, clock, (when - at) / (then - at))
            for when, clocks in self._all_readings()
            if when not in (at, then)
            for clock in clocks
        )

    def _all_readings(self) -> list[tuple[float, list[ClockReading]]]:
        """A frame that is there in both sizes counts once, as the large one."""
        return sorted((self._clocks_by_small_frame | self._clocks_by_frame).items())

    def build_result(self) -> ScoreboardReading:
        board, mirror = self._build_own_result(), self._mirror.build_result() if self._mirror else ScoreboardReading()
        chosen = (
            replace(mirror, is_mirrored=True) if mirror.has_confirmed_clock and not board.has_confirmed_clock else board
        )
        doubtful = {} if chosen.has_confirmed_clock else mirror.unconfirmed_clocks | board.unconfirmed_clocks
        return replace(
            chosen,
            unconfirmed_clocks=doubtful,
            rows=board.rows + mirror.rows,
            ocr_calls=board.ocr_calls + mirror.ocr_calls,
            line_ocr_calls=board.line_ocr_calls + mirror.line_ocr_calls,
        )

    def _build_own_result(self) -> ScoreboardReading:
        clocks = self.find_confirmed()
        large = sorted(
            (not self._is_goal_clock(clock), at) for at, clock in clocks.items() if at in self._clocks_by_frame
        )
        place = locate_score_bug(clocks[large[0][1]]) if large else None
        at = tuple(when for _, when in large if place and place.clock_box.contains_centre(clocks[when].box))
        return ScoreboardReading(
            clocks,
            place,
            self.find_unconfirmed(),
            tuple(self._rows),
            self._ocr_calls,
            self._line_ocr_calls,
            bug_rows=dict(self._bug_rows),
            location_times=at,
        )

    def find_unconfirmed(self) -> dict[float, ClockReading]:
        """Return clocks that no other frame confirms, except texts that do not change between two frames."""
        confirmed = self.find_confirmed()
        still = [
            clock
            for (at, first), (then, second) in combinations(sorted(self._clocks_by_frame.items()), 2)
            for clock in find_static_clocks(first, second, then - at)
        ]
        moving = {
            at: [clock for clock in clocks if clock not in still]
            for at, clocks in self._clocks_by_frame.items()
            if at not in confirmed
        }
        return {at: max(clocks, key=lambda clock: clock.score) for at, clocks in moving.items() if clocks}

    def _read_known_locations(self, frame: Frame, places: Sequence[ScoreBugLocation]) -> list[ClockReading]:
        """Read the clock alone, at the first location that shows one."""
        for place in places:
            self._line_ocr_calls += 1
            line = self._recognizer.recognize_line(frame.pixels, place.clock_box)
            if line is None or line.score < _MIN_LINE_SCORE:
                continue
            clocks = _drop_recorder_timers(find_clocks([TextRow((line,))], is_known_place=True), frame)
            if len(clocks) == 1 and _is_same_half(clocks[0], place):
                return [_apply_location(clocks[0], place)]
        return []

    def _read_parts(self, frame: Frame, places: Sequence[RelativeBox], *, slow: bool = False) -> list[ClockReading]:
        found: list[TextBox] = []
        for place in places:
            self._ocr_calls += 1
            here = self._recognizer.recognize_text(frame.pixels, place, thorough=slow)
            if here:
                self._parts_with_text |= {place} & {_TOP_PART, _BOTTOM_PART}
            found += here
        lines = group_rows(found, frame.width / frame.height)
        clocks = _drop_recorder_timers(find_clocks(lines), frame)
        self._rows += find_rows_beside_clocks(lines, clocks)
        return [self._store_panel(frame, lines, clock) for clock in clocks]

    def _store_panel(self, frame: Frame, lines: Sequence[TextRow], clock: ClockReading) -> ClockReading:
        """Keep the text of the bug around a clock, and where it is."""
        panel = find_panel_rows(lines, clock)
        if not panel:
            return clock
        self._bug_rows[frame.at] = to_bug_rows(panel)
        return replace(clock, panel=join_boxes([clock.box, *(row.box for row in panel)]))

    def _store_clocks(self, frame: Frame, clocks: list[ClockReading]) -> None:
        self._clocks_by_frame[frame.at] = clocks
        if clocks:
            self._known_locations = [locate_score_bug(clock) for clock in clocks][:_MAX_LOCATIONS]


def _drop_recorder_timers(clocks: Iterable[ClockReading], frame: Frame) -> list[ClockReading]:
    """Drop the timers of recorders and players."""
    return [clock for clock in clocks if not is_recorder_timer(clock, frame.at)]


def flip_frame(frame: Frame) -> Frame:
    return Frame(frame.at, np.ascontiguousarray(frame.pixels[:, ::-1]))


def _is_inconclusive(clocks: Sequence[ClockReading]) -> bool:
    """A stopped clock may have a stoppage timer beside it that has not been read yet."""
    return not clocks or any(clock.is_stopped for clock in clocks)


def _is_same_half(clock: ClockReading, place: ScoreBugLocation) -> bool:
    """Whether the half read at a location can be that of a clock there: not if the minute jumped, as after a cut."""
    return not place.period or abs(clock.printed_minute - place.minute) <= _MAX_MINUTES_PER_SHOT


def _apply_location(clock: ClockReading, place: ScoreBugLocation) -> ClockReading:
    named = clock.clock if " " in clock.clock or not place.period else f"{place.period} {clock.clock}"
    return replace(clock, clock=named, bug=place.bug, box=place.clock_box, panel=place.panel)
