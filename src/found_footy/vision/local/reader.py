"""Looking at a clip with this machine's processor only."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from found_footy.vision.classifier.model import Classifier
from found_footy.vision.errors import VisionUnavailable
from found_footy.vision.frames import ClipFrames, Expected, Frame, FrameWanted
from found_footy.vision.local import screen
from found_footy.vision.local.football import is_football, other_sport, soccer_head, weaker_rule
from found_footy.vision.local.pitch import measure
from found_footy.vision.local.places import Places
from found_footy.vision.local.scoreboard import Scoreboard, Search, TextReader
from found_footy.vision.verdict import Accepted, FrameAnswer, Verdict, agrees, decide

log = logging.getLogger(__name__)

# So sure that it is no football that reading its text would not be worth the time.
_HOPELESS = 0.05
_CERTAIN = 0.8


@dataclass(frozen=True)
class _Football:
    answer: bool | None
    note: str


@dataclass
class _Look:
    """How far one clip has been looked at: how likely each frame is football, and what text has been found."""

    search: Search
    likely: dict[float, float] = field(default_factory=dict)


class LocalReader:
    """Text recognition for the clock; for the rest the classifier, or without it the weaker rule, which it says."""

    name = "local"

    def __init__(self, text: TextReader, classifier: Classifier | None = None) -> None:
        self._text = text
        self._classifier = classifier
        self._places = Places()
        if classifier is None:
            log.warning(
                "no picture model: football is told by colour and clock, the weaker rule",
                extra={"action": "vision_weaker_rule"},
            )

    async def read(self, clip: ClipFrames, expected: Expected, *, broadcast: str = "") -> Verdict:
        """Goes on where it was once a frame is there that has to be taken out first."""
        begun = self._begun(expected, broadcast)
        while True:
            try:
                return await asyncio.to_thread(self._looked, clip, expected, broadcast, begun)
            except FrameWanted as wanted:
                clip = await clip.with_wanted(wanted)

    async def aclose(self) -> None:
        return

    def look(self, clip: ClipFrames, expected: Expected, *, broadcast: str = "") -> Verdict:
        """The same, in the caller's thread, of a clip from which nothing has to be taken out."""
        return self._looked(clip, expected, broadcast, self._begun(expected, broadcast))

    def _begun(self, expected: Expected, broadcast: str) -> _Look:
        return _Look(Search(self._text, self._places.of(broadcast), lambda clock: agrees(clock, expected)))

    def _looked(self, clip: ClipFrames, expected: Expected, broadcast: str, begun: _Look) -> Verdict:
        if not clip.all:
            raise VisionUnavailable(self.name, "the clip has no frames")
        likely = self._likelihood(clip, begun.likely)
        board, seen = Scoreboard(), screen.UNKNOWN
        if likely is None or max(likely.values()) > _HOPELESS:
            board = begun.search.through(clip)
            seen = _screen(clip, board)
        proven = any(agrees(clock, expected) for clock in board.clocks.values())
        football = self._football(clip.all, likely, board, proven=proven)
        notes = (football.note, _clock_note(board), f"screen: {seen}")
        answers = [_answer(frame, (likely or {}).get(frame.at), football.answer, seen, board) for frame in clip.all]
        verdict = decide(self.name, answers, expected, notes=notes)
        if isinstance(verdict, Accepted) and board.agreed and board.place and (place := board.place.lasting):
            self._places.remember(broadcast, place)
        return verdict

    def _likelihood(self, clip: ClipFrames, known: dict[float, float]) -> dict[float, float] | None:
        """How likely each frame is football. The one in the middle is looked at only if the others leave a doubt."""
        if self._classifier is None:
            return None
        known |= _classified(self._classifier, [frame for frame in clip.outer if frame.at not in known])
        certain = known and (min(known.values()) > _CERTAIN or max(known.values()) < 1 - _CERTAIN)
        if not (certain and len(known) > 1) and (middle := clip.the_middle()) is not None:
            known |= _classified(self._classifier, [middle])
        return known

    def _football(
        self, frames: Sequence[Frame], likely: dict[float, float] | None, board: Scoreboard, *, proven: bool
    ) -> _Football:
        """`proven` by a clock that runs to the goal's minute: no caption speaks against that."""
        word = None if proven else other_sport(board.rows)
        if word is not None:
            return _Football(False, f"football: no, another sport's words: {word}")
        if likely is None:
            has_clock = bool(board.clocks or board.doubtful)
            passes = weaker_rule([measure(frame.pixels) for frame in frames], has_clock=has_clock)
            return _Football(passes, "football: by the weaker rule, colour and clock; the model is missing")
        head = soccer_head()
        mean = sum(likely.values()) / len(likely)
        asked = [measure(frame.pixels) for frame in frames if frame.at in likely] if mean <= head.threshold else []
        passes = is_football(mean, asked, head.threshold, proven=proven)
        return _Football(passes, f"football: {mean:.2f} by {head.version}")


def _screen(clip: ClipFrames, board: Scoreboard) -> screen.ScreenFacts:
    """By the small frames; where those do not show the score bug, by the ones beside a frame that does."""
    found = screen.UNKNOWN
    for small in (clip.small, *(beside.small for beside in clip.besides.values())):
        if found.filmed is None:
            found = screen.look(small, board.bug, board.line, _nearest(clip, board, small))
    return found


def _nearest(clip: ClipFrames, board: Scoreboard, small: Sequence[Frame]) -> Frame | None:
    """The frame that shows the clock at its place, nearest in time to the small ones: fewer of its digits differ."""
    shown = [frame for frame in clip.all if frame.at in board.at]
    return min(shown, key=lambda frame: abs(frame.at - small[0].at), default=None) if small else None


def _classified(classifier: Classifier, frames: Sequence[Frame]) -> dict[float, float]:
    if not frames:
        return {}
    seen = classifier.look([frame.pixels for frame in frames])
    likely = soccer_head().probabilities(seen.embedding, [measure(frame.pixels) for frame in frames])
    return {frame.at: share for frame, share in zip(frames, likely, strict=True)}


def _clock_note(board: Scoreboard) -> str:
    effort = f"{board.calls} readings and {board.lines} of a known line"
    if board.agreed:
        return f"clock: {'mirrored, ' if board.mirrored else ''}two frames agree; {effort}"
    if board.doubtful:
        read = ", ".join(clock.clock for _, clock in sorted(board.doubtful.items()))
        return f"clock: {read}, which no other frame confirms; {effort}"
    return f"clock: none in {effort}"


def _answer(
    frame: Frame, share: float | None, football: bool | None, seen: screen.ScreenFacts, board: Scoreboard
) -> FrameAnswer:
    clock = (board.clocks or board.doubtful).get(frame.at)
    return FrameAnswer(
        at=frame.at,
        soccer=football,
        screen=seen.filmed,
        clock=clock.clock if clock else None,
        added=clock.added if clock else None,
        stoppage_clock=clock.stoppage_clock if clock else None,
        note="" if share is None else f"football {share:.2f}",
        confirmed=frame.at in board.clocks,
    )
