"""The reader that checks clips on this machine's CPU only."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from found_footy.platform.logs import ActionLogger
from found_footy.vision.bug_text import BugText
from found_footy.vision.classifier.image_classifier import ImageClassifier
from found_footy.vision.errors import VisionUnavailable
from found_footy.vision.expectation import ExpectedGoal
from found_footy.vision.frames import ClipFrames, Frame, FrameNotLoaded
from found_footy.vision.local import filmed_screen
from found_footy.vision.local.bug_reading import read_bugs
from found_footy.vision.local.football import (
    MAX_FRAMES_CLASSIFIED,
    MIN_PROBABILITY_WITH_CLOCK,
    find_other_sport,
    is_football,
    is_football_without_model,
    load_soccer_head,
)
from found_footy.vision.local.pitch import measure_pitch
from found_footy.vision.local.score_bug_cache import ScoreBugCache
from found_footy.vision.local.scoreboard import ScoreboardReading
from found_footy.vision.local.scoreboard_search import ScoreboardSearch, TextRecognizer
from found_footy.vision.teams import format_pair
from found_footy.vision.verdict import Accepted, FrameReading, Verdict, decide_verdict, is_expected_minute

logger = ActionLogger(__name__)

# Below this probability of football the text is not read: it is not worth the time.
_MIN_PROBABILITY_FOR_OCR = 0.05
_CERTAIN_PROBABILITY = 0.8
# Of the first frame: with a clock of the goal, the mean over up to three frames then suffices whatever the others show.
_SUFFICIENT_PROBABILITY = MAX_FRAMES_CLASSIFIED * MIN_PROBABILITY_WITH_CLOCK


@dataclass(frozen=True)
class _FootballDecision:
    is_football: bool | None
    note: str


@dataclass
class _ReadingProgress:
    """State of one clip's check: the probability of football per frame, and the text found so far."""

    search: ScoreboardSearch
    probabilities: dict[float, float] = field(default_factory=dict)


class LocalReader:
    """Text recognition for the clock; for the rest the classifier, or without it the weaker rule, which the evidence
    then names.
    """

    name = "local"

    def __init__(self, recognizer: TextRecognizer, classifier: ImageClassifier | None = None) -> None:
        self._recognizer = recognizer
        self._classifier = classifier
        self._score_bug_cache = ScoreBugCache()
        if classifier is None:
            logger.warning(
                "no picture model: the weaker rule, colour and clock, recognizes football; run `found-footy setup`",
                action="vision_weaker_rule",
            )

    async def read(self, clip: ClipFrames, expected: ExpectedGoal, *, broadcast: str = "") -> Verdict:
        """Continues from its saved state after each frame that had to be decoded first."""
        begun = self._start_progress(expected, broadcast)
        while True:
            try:
                return await asyncio.to_thread(self._read_frames, clip, expected, broadcast, begun)
            except FrameNotLoaded as wanted:
                clip = await clip.with_missing_frame(wanted)

    async def aclose(self) -> None:
        return

    def read_blocking(self, clip: ClipFrames, expected: ExpectedGoal, *, broadcast: str = "") -> Verdict:
        """The same in the caller's thread, for a clip whose frames are all decoded."""
        return self._read_frames(clip, expected, broadcast, self._start_progress(expected, broadcast))

    def _start_progress(self, expected: ExpectedGoal, broadcast: str) -> _ReadingProgress:
        return _ReadingProgress(
            ScoreboardSearch(
                self._recognizer,
                self._score_bug_cache.get_locations(broadcast),
                lambda clock: is_expected_minute(clock, expected),
            )
        )

    def _read_frames(
        self, clip: ClipFrames, expected: ExpectedGoal, broadcast: str, progress: _ReadingProgress
    ) -> Verdict:
        if not clip.full_size_frames:
            raise VisionUnavailable(self.name, "the clip has no frames")
        likely = self._find_probabilities(clip, progress)
        board, seen = ScoreboardReading(), filmed_screen.UNKNOWN
        if likely is None or max(likely.values()) > _MIN_PROBABILITY_FOR_OCR:
            board = progress.search.search_clip(clip)
            seen = _detect_filmed_screen(clip, board)
        proven = any(is_expected_minute(clock, expected) for clock in board.confirmed_clocks.values())
        football = self._decide_football(clip.full_size_frames, likely, board, proven=proven)
        notes = (football.note, _format_clock_note(board), f"screen: {seen}")
        answers = [
            _build_frame_reading(frame, (likely or {}).get(frame.at), football.is_football, seen, board)
            for frame in clip.full_size_frames
        ]
        if football.is_football and not seen.is_filmed:
            bugs = read_bugs(self._recognizer, clip, board, expected)
            answers = [_add_bug(answer, bugs.get(answer.at)) for answer in answers]
        verdict = decide_verdict(self.name, answers, expected, notes=notes)
        if (
            isinstance(verdict, Accepted)
            and board.has_confirmed_clock
            and board.location
            and (place := board.location.reusable_location)
        ):
            self._score_bug_cache.remember_location(broadcast, place)
        return verdict

    def _find_probabilities(self, clip: ClipFrames, progress: _ReadingProgress) -> dict[float, float] | None:
        """Return the probability of football per frame; of the first one alone, if that and the clock decide it."""
        if self._classifier is None:
            return None
        known = progress.probabilities
        known |= _classify_frames(self._classifier, [frame for frame in clip.outer_frames[:1] if frame.at not in known])
        if max(known.values(), default=0.0) > _SUFFICIENT_PROBABILITY and progress.search.search_outer_frames(clip):
            return known
        return self._update_probabilities(self._classifier, clip, known)

    def _update_probabilities(
        self, classifier: ImageClassifier, clip: ClipFrames, known: dict[float, float]
    ) -> dict[float, float]:
        """Classify the outer frames; the middle frame only if these are inconclusive."""
        known |= _classify_frames(classifier, [frame for frame in clip.outer_frames if frame.at not in known])
        certain = known and (
            min(known.values()) > _CERTAIN_PROBABILITY or max(known.values()) < 1 - _CERTAIN_PROBABILITY
        )
        if not (certain and len(known) > 1) and (middle := clip.require_middle()) is not None:
            known |= _classify_frames(classifier, [middle])
        return known

    def _decide_football(
        self,
        frames: Sequence[Frame],
        probabilities: dict[float, float] | None,
        board: ScoreboardReading,
        *,
        proven: bool,
    ) -> _FootballDecision:
        """`proven` by a clock that runs at the goal's minute: no text of another sport overrides that."""
        other_sport = None if proven else find_other_sport(board.rows)
        if other_sport is not None:
            return _FootballDecision(False, f"football: no, another sport's words: {other_sport}")
        if probabilities is None:
            has_clock = bool(board.confirmed_clocks or board.unconfirmed_clocks)
            passes = is_football_without_model([measure_pitch(frame.pixels) for frame in frames], has_clock=has_clock)
            return _FootballDecision(passes, "football: by the weaker rule, colour and clock; the model is missing")
        head = load_soccer_head()
        mean = sum(probabilities.values()) / len(probabilities)
        asked = (
            [measure_pitch(frame.pixels) for frame in frames if frame.at in probabilities]
            if mean <= head.threshold
            else []
        )
        passes = is_football(mean, asked, head.threshold, has_goal_clock=proven)
        return _FootballDecision(passes, f"football: {mean:.2f} by {head.version}")


def _detect_filmed_screen(clip: ClipFrames, board: ScoreboardReading) -> filmed_screen.FilmedScreenResult:
    """Use the small frames; if they do not show the score bug, the neighbours of a frame that does."""
    found = filmed_screen.UNKNOWN
    for small in (clip.small_frames, *(beside.small_frames for beside in clip.neighbours.values())):
        if found.is_filmed is None:
            found = filmed_screen.detect_filmed_screen(
                small, board.bug, board.clock_box, _nearest_clock_frame(clip, board, small)
            )
    return found


def _nearest_clock_frame(clip: ClipFrames, board: ScoreboardReading, small: Sequence[Frame]) -> Frame | None:
    """Return the frame that shows the clock at its place, nearest in time to the small ones: fewer of its digits
    differ.
    """
    shown = [frame for frame in clip.full_size_frames if frame.at in board.location_times]
    return min(shown, key=lambda frame: abs(frame.at - small[0].at), default=None) if small else None


def _classify_frames(classifier: ImageClassifier, frames: Sequence[Frame]) -> dict[float, float]:
    if not frames:
        return {}
    seen = classifier.classify([frame.pixels for frame in frames])
    likely = load_soccer_head().probabilities(seen.embedding, [measure_pitch(frame.pixels) for frame in frames])
    return {frame.at: share for frame, share in zip(frames, likely, strict=True)}


def _format_clock_note(board: ScoreboardReading) -> str:
    effort = f"{board.ocr_calls} readings and {board.line_ocr_calls} of a known line"
    if board.has_confirmed_clock:
        return f"clock: {'mirrored, ' if board.is_mirrored else ''}two frames agree; {effort}"
    if board.unconfirmed_clocks:
        read = ", ".join(clock.clock for _, clock in sorted(board.unconfirmed_clocks.items()))
        return f"clock: {read}, which no other frame confirms; {effort}"
    return f"clock: none in {effort}"


def _add_bug(answer: FrameReading, bug: BugText | None) -> FrameReading:
    if bug is None:
        return answer
    score = None if bug.score is None else str(bug.score)
    return replace(answer, teams=format_pair(bug.first, bug.second), score=score)


def _build_frame_reading(
    frame: Frame,
    probability: float | None,
    football: bool | None,
    seen: filmed_screen.FilmedScreenResult,
    board: ScoreboardReading,
) -> FrameReading:
    clock = board.clocks.get(frame.at)
    return FrameReading(
        at=frame.at,
        soccer=football,
        screen=seen.is_filmed,
        clock=clock.clock if clock else None,
        added=clock.added if clock else None,
        stoppage_clock=clock.stoppage_clock if clock else None,
        note="" if probability is None else f"football {probability:.2f}",
        is_confirmed=frame.at in board.confirmed_clocks,
    )
