"""Finding the match clock in the frames of a clip with as little text recognition as will do."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Protocol

import numpy as np

from found_footy.vision.agreement import counts_the_clip, keeps_time
from found_footy.vision.frames import ClipFrames, Frame, Pixels
from found_footy.vision.local.boxes import Box, Row, TextBox, joined, rows
from found_footy.vision.local.clocks import Clock, beside_clocks, find_clocks, in_line, running, standing

_TOP, _BOTTOM = Box(0.0, 0.0, 1.0, 1 / 3), Box(0.0, 0.75, 1.0, 1.0)
# Frames narrower than this have text too small for the fast way.
_NARROW = 500
_MOST_PLACES = 3
# A line that is read without looking for it first must be read with more certainty.
_SURE = 0.85
# How many small frames are asked whether a clock that one frame shows runs; best those about this many seconds away.
_MOST_GLANCES, _MOVED = 4, 1.0
# How many clocks that a single frame shows are worth one more frame each.
_MOST_BESIDE = 2
# Minutes by which a clock may differ within a clip that has no cut: the longest clips have one minute.
_SAME_SHOT = 2


class TextReader(Protocol):
    """Text in a part of a picture: all of it, or the one line that fills the part."""

    def read(self, picture: Pixels, part: Box, *, slow: bool = False) -> list[TextBox]: ...

    def line(self, picture: Pixels, part: Box) -> TextBox | None: ...


@dataclass(frozen=True)
class Place:
    """Where a score bug is: all of it, and the clock in it, with the name of the half that stands beside and the minute
    that it was read in.
    """

    bug: Box
    line: Box
    period: str = ""
    minute: int = 0

    @property
    def lasting(self) -> "Place | None":
        """What of it holds for other clips: the half is another one there, so what names it must be read again."""
        return None if self.period else self


@dataclass(frozen=True)
class Scoreboard:
    """The clocks per frame (by its time) that were seen to run; `place` is where the one stands that decides, in the
    large frames `at` these times. A reading that nothing confirms is `doubtful`, and where it stands does not count.

    `rows` is the text beside clocks, `calls` how often text was recognized, `lines` how often a line at a known place.
    `mirrored` if the clip shows its picture in a mirror; `place` is then that in the broadcast's own picture.
    """

    clocks: dict[float, Clock] = field(default_factory=dict)
    place: Place | None = None
    doubtful: dict[float, Clock] = field(default_factory=dict)
    rows: tuple[Row, ...] = ()
    calls: int = 0
    lines: int = 0
    mirrored: bool = False
    at: tuple[float, ...] = ()

    @property
    def agreed(self) -> bool:
        return bool(self.clocks)

    @property
    def bug(self) -> Box | None:
        """Where the score bug is in the clip."""
        if self.place is None:
            return None
        return self.place.bug.mirrored if self.mirrored else self.place.bug

    @property
    def line(self) -> Box | None:
        """Where its clock is in the clip."""
        if self.place is None:
            return None
        return self.place.line.mirrored if self.mirrored else self.place.line


def read_scoreboard(text: TextReader, clip: ClipFrames, known: Sequence[Place] = ()) -> Scoreboard:
    """`known` are places to look at first: where earlier clips of this broadcast had their bug."""
    return Search(text, known).through(clip)


Pair = tuple[float, Clock, float, Clock]
Agrees = Callable[[Clock], bool]


def _any(_: Clock) -> bool:
    return True


class Search:
    """What has been seen of one clip so far. `agrees` says whether a clock is of the goal: where an edited clip shows
    several minutes, that is the one to be confirmed.
    """

    def __init__(self, text: TextReader, known: Sequence[Place] = (), agrees: Agrees = _any) -> None:
        self._text = text
        self._agrees = agrees
        self._hints = self._known = list(known)[:_MOST_PLACES]
        self._seen: dict[float, list[Clock]] = {}
        self._glimpsed: dict[float, list[Clock]] = {}
        self._glanced: set[tuple[float, Box]] = set()
        self._written: set[Box] = set()
        self._rows: list[Row] = []
        self._calls = 0
        self._lines = 0
        self._mirror: Search | None = None

    def through(self, clip: ClipFrames) -> Scoreboard:
        """FrameWanted where the frames that are there do not do; with the wanted one it goes on from there."""
        if self._seen_in(clip.outer) or self._seen_mirrored(clip.outer) or self._glanced_at(clip.small):
            return self.result()
        middle = self._middle_of(clip)
        if not (self._seen_in([middle] if middle else []) or self._glanced_at(clip.small)):
            self._look_beside(clip)
        if not self._runs():
            self.look_again(clip.outer)
            self._glanced_at(clip.small)
            self._look_beside(clip)
        return self.result()

    def _middle_of(self, clip: ClipFrames) -> Frame | None:
        """It helps where nothing was read, or two readings run at an odd speed; else a frame beside the one that was
        read is more likely to show the same clock.
        """
        helps = not self._singles() or (any(self._pairs()) and not self._runs())
        return clip.the_middle() if helps or clip.take_beside is None or clip.has_middle else None

    def _look_beside(self, clip: ClipFrames) -> None:
        """At one more frame beside each clock that a single frame shows, as long as that may decide: clocks of the goal
        first, others only if none has been seen to run.
        """
        taken = {frame.at for frame in (*clip.outer, clip.middle) if frame is not None}
        singles = [(at, clock) for at, clock in self._singles() if at in taken]
        for at, clock in sorted(singles, key=lambda single: not self._agrees(single[1])):
            if self._settled() or (self._runs() and not self._agrees(clock)):
                return
            if at not in clip.besides and len(clip.besides) >= _MOST_BESIDE:
                continue
            if (frame := clip.beside(at).frame) is not None:
                self.look_near(frame, at)
                if self._mirror is not None:
                    self._mirror.look_near(_flipped(frame), at)

    def look_near(self, frame: Frame, at: float) -> None:
        """Where the frame `at` that time has a clock; nowhere if it has none, or if this one was looked at before."""
        clocks = self._seen.get(at)
        if clocks and frame.at not in self._seen:
            self._known = [place_of(clock) for clock in clocks][:_MOST_PLACES]
            self.look(frame)

    def _singles(self) -> list[tuple[float, Clock]]:
        """Clocks that one frame shows alone, the right way round and in the mirror."""
        mirrored = self._mirror.single().items() if self._mirror else ()
        return [*self.single().items(), *mirrored]

    def _settled(self) -> bool:
        return any(search.settled() for search in (self, self._mirror) if search is not None)

    def _runs(self) -> bool:
        return any(search.confirmed() for search in (self, self._mirror) if search is not None)

    def settled(self) -> bool:
        """Whether a clock of the goal was seen to run."""
        return any(map(self._agrees, self.confirmed().values()))

    def is_enough(self) -> bool:
        """Whether a clock was seen to run, and none that a single frame shows could say more."""
        return bool(self.confirmed()) and (self.settled() or not any(map(self._agrees, self.single().values())))

    def _seen_in(self, frames: Iterable[Frame]) -> bool:
        for frame in frames:
            if frame.at not in self._seen:
                self.look(frame)
            if self.is_enough():
                return True
        return False

    def _seen_mirrored(self, frames: Sequence[Frame]) -> bool:
        """People mirror what they copy. Looked for only where something is written that made no sense."""
        if self._mirror is None:
            self._mirror = Search(self._text, self._hints, self._agrees)
            for frame in map(_flipped, frames):
                self._mirror.look_at(frame, sorted(self._written, key=lambda part: part.top))
        return self._mirror.is_enough()

    def _glanced_at(self, small: Sequence[Frame]) -> bool:
        """Whether small frames show that a clock runs which only one of the large ones shows."""
        if self.glance(small):
            return True
        return self._mirror is not None and self._mirror.glance([_flipped(frame) for frame in small])

    def glance(self, small: Sequence[Frame]) -> bool:
        for at, clock in self.single().items():
            place = place_of(clock)
            away = sorted(small, key=lambda frame: (abs(frame.at - at) < _MOVED, abs(abs(frame.at - at) - _MOVED)))
            for frame in away[:_MOST_GLANCES]:
                if (frame.at, place.line) not in self._glanced:
                    self._glanced.add((frame.at, place.line))
                    self._glimpsed[frame.at] = self._glimpsed.get(frame.at, []) + self._on_lines(frame, [place])
                if self.is_enough():
                    return True
        return self.is_enough()

    def look(self, frame: Frame) -> None:
        """At the known places first, then the top of the picture, then its foot."""
        clocks = self._on_lines(frame, self._known)
        if _leaves_doubt(clocks):
            clocks = self._at(frame, [place.bug for place in self._known]) or clocks
        if _leaves_doubt(clocks):
            clocks = self._at(frame, [_TOP]) or clocks or self._at(frame, [_BOTTOM])
        elif self._half_unknown(clocks):
            clocks = self._at(frame, [_TOP if clocks[0].bug.top < _BOTTOM.top else _BOTTOM]) or clocks
        self._keep(frame, clocks)

    def look_at(self, frame: Frame, parts: Sequence[Box]) -> None:
        """At the known places, then at these parts, as thoroughly as the size of the frame asks for."""
        clocks = self._on_lines(frame, self._known)
        if (_leaves_doubt(clocks) or self._half_unknown(clocks)) and parts:
            clocks = self._at(frame, parts, slow=frame.width < _NARROW) or clocks
        self._keep(frame, clocks)

    def _half_unknown(self, clocks: Sequence[Clock]) -> bool:
        """Whether a clock was read at a place known from other clips that may have started again with the second half.
        What names the half can stand anywhere beside it, and need not have been there in the first.
        """
        return self._known is self._hints and any(clock.of_any_half for clock in clocks)

    def look_again(self, frames: Iterable[Frame]) -> None:
        """Slowly and thoroughly, as long as that helps."""
        for frame in self._worth_another_look(list(frames)):
            parts = [_TOP] if frame.width < _NARROW or not self._known else [self._known[0].bug]
            clocks = self._at(frame, parts, slow=True)
            if not clocks and not self.has_clock:
                return
            self._keep(frame, clocks or self._seen.get(frame.at, []))
            if self.is_enough():
                return

    def _worth_another_look(self, frames: Sequence[Frame]) -> Sequence[Frame]:
        """Those without a clock; or all, if the clocks that were read contradict each other."""
        blank = [frame for frame in frames if not self._seen.get(frame.at)]
        return blank or frames

    @property
    def has_clock(self) -> bool:
        return any(self._seen.values())

    def confirmed(self) -> dict[float, Clock]:
        """Every reading of a clock that runs at about real speed; for want of any, two at another speed that a third
        bears out. One of two may be in a small frame, not both: what those show is less certain.
        """
        pairs = list(self._pairs())
        steady = [pair for pair in pairs if keeps_time(pair[1], pair[3], pair[2] - pair[0])]
        chosen = steady or [pair for pair in pairs if self._borne_out(pair)][:1]
        found: dict[float, Clock] = {}
        for at, one, then, other in chosen:
            found.setdefault(at, one)
            found.setdefault(then, other)
        return found

    def _pairs(self) -> Iterator[Pair]:
        for (at, first), (then, second) in combinations(self._readings(), 2):
            large = at in self._seen or then in self._seen
            if large and (found := running(first, second, then - at)) is not None:
                yield at, found[0], then, found[1]

    def _borne_out(self, pair: Pair) -> bool:
        at, one, then, other = pair
        return any(
            in_line(one, other, clock, (when - at) / (then - at))
            for when, clocks in self._readings()
            if when not in (at, then)
            for clock in clocks
        )

    def _readings(self) -> list[tuple[float, list[Clock]]]:
        """A frame that is there in both sizes counts once, as the large one."""
        return sorted((self._glimpsed | self._seen).items())

    def result(self) -> Scoreboard:
        board, mirror = self._board(), self._mirror.result() if self._mirror else Scoreboard()
        chosen = replace(mirror, mirrored=True) if mirror.agreed and not board.agreed else board
        doubtful = {} if chosen.agreed else mirror.doubtful | board.doubtful
        return replace(
            chosen, doubtful=doubtful, rows=board.rows + mirror.rows, calls=board.calls + mirror.calls,
            lines=board.lines + mirror.lines,
        )  # fmt: skip

    def _board(self) -> Scoreboard:
        clocks = self.confirmed()
        large = sorted((not self._agrees(clock), at) for at, clock in clocks.items() if at in self._seen)
        place = place_of(clocks[large[0][1]]) if large else None
        at = tuple(when for _, when in large if place and place.line.covers(clocks[when].box))
        return Scoreboard(clocks, place, self.single(), tuple(self._rows), self._calls, self._lines, at=at)

    def single(self) -> dict[float, Clock]:
        """Clocks that no other frame confirms, without what stands still in two of them."""
        confirmed = self.confirmed()
        still = [
            clock
            for (at, first), (then, second) in combinations(sorted(self._seen.items()), 2)
            for clock in standing(first, second, then - at)
        ]
        moving = {
            at: [clock for clock in clocks if clock not in still]
            for at, clocks in self._seen.items()
            if at not in confirmed
        }
        return {at: max(clocks, key=lambda clock: clock.score) for at, clocks in moving.items() if clocks}

    def _on_lines(self, frame: Frame, places: Sequence[Place]) -> list[Clock]:
        """The clock alone, at the first place that has one."""
        for place in places:
            self._lines += 1
            line = self._text.line(frame.pixels, place.line)
            if line is None or line.score < _SURE:
                continue
            clocks = _of_matches(find_clocks([Row((line,))], known=True), frame)
            if len(clocks) == 1 and _of_one_half(clocks[0], place):
                return [_as_known(clocks[0], place)]
        return []

    def _at(self, frame: Frame, places: Sequence[Box], *, slow: bool = False) -> list[Clock]:
        found: list[TextBox] = []
        for place in places:
            self._calls += 1
            here = self._text.read(frame.pixels, place, slow=slow)
            if here:
                self._written |= {place} & {_TOP, _BOTTOM}
            found += here
        lines = rows(found, frame.width / frame.height)
        clocks = _of_matches(find_clocks(lines), frame)
        self._rows += beside_clocks(lines, clocks)
        return clocks

    def _keep(self, frame: Frame, clocks: list[Clock]) -> None:
        self._seen[frame.at] = clocks
        if clocks:
            self._known = [place_of(clock) for clock in clocks][:_MOST_PLACES]


def _of_matches(clocks: Iterable[Clock], frame: Frame) -> list[Clock]:
    """Without the timers of recorders and players."""
    return [clock for clock in clocks if not counts_the_clip(clock, frame.at)]


def _flipped(frame: Frame) -> Frame:
    return Frame(frame.at, np.ascontiguousarray(frame.pixels[:, ::-1]))


def _leaves_doubt(clocks: Sequence[Clock]) -> bool:
    """A clock that stands may have a small timer beside it that has not been seen yet."""
    return not clocks or any(clock.stands for clock in clocks)


def _of_one_half(clock: Clock, place: Place) -> bool:
    """Whether the half that was read at a place can be that of a clock there: not if it has jumped, as after a cut."""
    return not place.period or abs(clock.printed_minute - place.minute) <= _SAME_SHOT


def _as_known(clock: Clock, place: Place) -> Clock:
    named = clock.clock if " " in clock.clock or not place.period else f"{place.period} {clock.clock}"
    return replace(clock, clock=named, bug=place.bug, box=place.line)


def place_of(clock: Clock) -> Place:
    """The score bug around a clock, with room for a text that is a little longer or lower in another frame."""
    height = clock.box.height
    bug = joined([clock.bug, clock.box]).grown(height * 0.8, height * 0.8)
    period = clock.clock.rpartition(" ")[0]
    return Place(bug, clock.box.grown(height * 0.1, 0.0), period, clock.printed_minute)
