"""Looking at a clip with this machine's processor only."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from found_footy.vision.classifier.model import Classifier
from found_footy.vision.errors import VisionUnavailable
from found_footy.vision.frames import ClipFrames, Expected, Frame
from found_footy.vision.local import screen
from found_footy.vision.local.football import other_sport, soccer_head, weaker_rule
from found_footy.vision.local.pitch import measure
from found_footy.vision.local.places import Places
from found_footy.vision.local.scoreboard import Scoreboard, TextReader, read_scoreboard
from found_footy.vision.verdict import Accepted, FrameAnswer, Verdict, decide

log = logging.getLogger(__name__)

# So sure that it is no football that reading its text would not be worth the time.
_HOPELESS = 0.05
_CERTAIN = 0.8


@dataclass(frozen=True)
class _Football:
    answer: bool | None
    note: str


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
        return await asyncio.to_thread(self.look, clip, expected, broadcast=broadcast)

    async def aclose(self) -> None:
        return

    def look(self, clip: ClipFrames, expected: Expected, *, broadcast: str = "") -> Verdict:
        """The same, in the caller's thread."""
        if not clip.all:
            raise VisionUnavailable(self.name, "the clip has no frames")
        likely = self._likelihood(clip)
        board, seen = Scoreboard(), screen.UNKNOWN
        if likely is None or max(likely.values()) > _HOPELESS:
            board = read_scoreboard(self._text, clip, self._places.of(broadcast))
            seen = screen.look(clip.small, board.place.bug if board.place else None)
        football = self._football(clip.all, likely, board)
        notes = (football.note, _clock_note(board), f"screen: {seen}")
        answers = [_answer(frame, (likely or {}).get(frame.at), football.answer, seen, board) for frame in clip.all]
        verdict = decide(self.name, answers, expected, notes=notes)
        if isinstance(verdict, Accepted) and board.agreed and board.place and (place := board.place.lasting):
            self._places.remember(broadcast, place)
        return verdict

    def _likelihood(self, clip: ClipFrames) -> dict[float, float] | None:
        """How likely each frame is football. The one in the middle is looked at only if the others leave a doubt."""
        if self._classifier is None:
            return None
        likely = _classified(self._classifier, clip.outer) if clip.outer else {}
        certain = likely and (min(likely.values()) > _CERTAIN or max(likely.values()) < 1 - _CERTAIN)
        if clip.middle is not None and not (certain and len(likely) > 1):
            likely |= _classified(self._classifier, (clip.middle,))
        return likely

    def _football(self, frames: Sequence[Frame], likely: dict[float, float] | None, board: Scoreboard) -> _Football:
        word = other_sport(board.rows)
        if word is not None:
            return _Football(False, f"football: no, another sport's words: {word}")
        if likely is None:
            passes = weaker_rule([measure(frame.pixels) for frame in frames], has_clock=bool(board.clocks))
            return _Football(passes, "football: by the weaker rule, colour and clock; the model is missing")
        head = soccer_head()
        mean = sum(likely.values()) / len(likely)
        return _Football(mean > head.threshold, f"football: {mean:.2f} by {head.version}")


def _classified(classifier: Classifier, frames: Sequence[Frame]) -> dict[float, float]:
    seen = classifier.look([frame.pixels for frame in frames])
    likely = soccer_head().probabilities(seen.embedding, [measure(frame.pixels) for frame in frames])
    return {frame.at: share for frame, share in zip(frames, likely, strict=True)}


def _clock_note(board: Scoreboard) -> str:
    if not board.clocks:
        return f"clock: none in {board.calls} readings"
    certainty = "two frames agree" if board.agreed else "not confirmed by a second frame"
    return f"clock: {certainty}; {board.calls} readings and {board.lines} of a known line"


def _answer(
    frame: Frame, share: float | None, football: bool | None, seen: screen.ScreenFacts, board: Scoreboard
) -> FrameAnswer:
    clock = board.clocks.get(frame.at)
    return FrameAnswer(
        at=frame.at,
        soccer=football,
        screen=seen.filmed,
        clock=clock.clock if clock else None,
        added=clock.added if clock else None,
        stoppage_clock=clock.stoppage_clock if clock else None,
        note="" if share is None else f"football {share:.2f}",
    )
