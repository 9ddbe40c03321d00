"""How often looking is right, on clips of the media factory.

`python bench/vision_accuracy.py [--seeds 4] [--folder DIR] [--first N] [--develop]` prints a table per quality of the
file and per design of the score bug, then what must not pass. The numbers that clips are drawn from, N and those after
it, must be used for nothing else; `--develop` takes others, to look for faults on. The scripted rows show that the
other reader carries a model's answers through, not that a model is good.
"""

import argparse
import asyncio
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

import av
import cv2
import numpy as np

from found_footy.domain.outcomes import ClipOutcome, Finding, TimestampStatus
from found_footy.domain.scores import Score as MatchScore
from found_footy.embedded.endpoints import default_data_dir
from found_footy.vision.classifier.image_classifier import ImageClassifier
from found_footy.vision.clock import frame_minute
from found_footy.vision.expectation import ExpectedGoal, MatchTeams, ScoreChange
from found_footy.vision.frames import ClipFrames, Frame, NeighbourFrames, Pixels
from found_footy.vision.local.ocr import RapidOcrRecognizer
from found_footy.vision.local.reader import LocalReader
from found_footy.vision.local.text_boxes import RelativeBox, TextBox
from found_footy.vision.reader_factory import build_llm_reader
from found_footy.vision.settings import VisionSettings
from found_footy.vision.verdict import Accepted, FrameReading, Rejected, Verdict, decide_verdict
from found_footy_sim.media.clip_library import render_clip
from found_footy_sim.media.clip_spec import ClipChange, ClipScene, SceneKind, TeamKit
from found_footy_sim.media.clip_truth import compute_clip_truth, score_bug_at
from found_footy_sim.media.graphics.score_bug_state import format_clock
from found_footy_sim.media.graphics.score_bugs import BUG_DESIGNS
from found_footy_sim.vision.answers import SimulatedAnswer
from found_footy_sim.vision.loopback_server import serve_vision
from found_footy_sim.vision.server import VisionServer

HELD_BACK, DEVELOPED_ON = 18700, 300
_CLUBS_BY_NAME = {
    "Liverpool": TeamKit("LIV", "#c8102e", "#c8102e"),
    "Arsenal": TeamKit("ARS", "#ffffff", "#101820"),
    "Borussia Dortmund": TeamKit("BVB", "#fde100", "#101820"),
    "Paris Saint Germain": TeamKit("PSG", "#0b1f4b", "#c8102e"),
    "Inter": TeamKit("INT", "#1456a0", "#101820"),
    "Barcelona": TeamKit("FCB", "#8a1538", "#101820"),
    "Ajax": TeamKit("AJX", "#f4f4f4", "#c8102e"),
    "FC Porto": TeamKit("POR", "#1e5fb4", "#ffffff"),
}
CLUBS, NAMES = list(_CLUBS_BY_NAME.values()), {club.short: name for name, club in _CLUBS_BY_NAME.items()}
QUALITIES = {
    "1280 crf 23": ClipChange(width=1280, height=720, crf=23),
    "854 crf 28": ClipChange(width=854, height=480, crf=28),
    "640 crf 28": ClipChange(width=640, height=360, crf=28),
    "640 crf 34": ClipChange(width=640, height=360, crf=34),
    "480 crf 30": ClipChange(width=480, height=270, crf=30),
}
# Those that the targets are about.
GOOD = ("1280 crf 23", "854 crf 28", "640 crf 28")
MIDDLE, FPS, SECONDS, FAR = QUALITIES["640 crf 28"], 3, 4.0, 20
QUESTIONS = ("clock", "minute", "other minute", "football", "direct", "teams", "score", "half", "not refuted")
NOT_FOOTBALL = (
    SceneKind.STUDIO,
    SceneKind.ADVERT,
    SceneKind.CARD,
    SceneKind.AMERICAN_FOOTBALL,
    SceneKind.TENNIS,
    SceneKind.BASKETBALL,
    SceneKind.BLANK,
)


@dataclass
class Score:
    """Hits and tries by what was asked."""

    hits: Counter[str] = field(default_factory=Counter)
    tries: Counter[str] = field(default_factory=Counter)

    def note(self, question: str, right: bool) -> None:
        self.tries[question] += 1
        self.hits[question] += right

    def shown(self, questions: Sequence[str]) -> str:
        cells = (f"{self.hits[q]}/{self.tries[q]}" if self.tries[q] else "-" for q in questions)
        return "".join(f"{cell:>13}" for cell in cells)


class CountedOcr:
    """The reader's own text recognition, with every search for text counted."""

    def __init__(self) -> None:
        self._ocr = RapidOcrRecognizer()
        self.calls = 0

    def recognize_text(self, picture: Pixels, part: RelativeBox, *, thorough: bool = False) -> list[TextBox]:
        self.calls += 1
        return self._ocr.recognize_text(picture, part, thorough=thorough)

    def recognize_line(self, picture: Pixels, part: RelativeBox) -> TextBox | None:
        return self._ocr.recognize_line(picture, part)


@dataclass
class Bench:
    """What all measurements share; `calls` is text recognitions per clip."""

    first: int
    seeds: int
    folder: Path
    answer_kind: bool
    text: CountedOcr = field(default_factory=CountedOcr)
    calls: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.reader = LocalReader(self.text, ImageClassifier(default_data_dir() / "models"))

    def look(self, clip: ClipFrames, expected: ExpectedGoal) -> Verdict:
        before = self.text.calls
        verdict = asyncio.run(self.reader.read(clip, expected))
        self.calls.append(self.text.calls - before)
        return verdict

    def tell(self, fault: str) -> None:
        """What is worth looking into."""
        if self.answer_kind:
            print(fault, flush=True)

    def clip(self, scene: ClipScene, *changes: ClipChange) -> ClipFrames:
        return frames_of(render_clip(scene, changes, self.folder))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=4, help="clips per design, quality and kind")
    parser.add_argument("--folder", type=Path, help="where rendered clips are kept; by default nowhere")
    parser.add_argument("--quality", choices=list(QUALITIES), action="append", help="only this one; may be repeated")
    parser.add_argument("--first", type=int, default=HELD_BACK, help="number that the first clip is drawn from")
    parser.add_argument("--develop", action="store_true", help="other clips than those that count; tells every fault")
    parser.add_argument("--matches", action="store_true", help="only matches, not what must be refused")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        first = DEVELOPED_ON if wanted.develop else wanted.first
        bench = Bench(first, wanted.seeds, wanted.folder or Path(scratch), wanted.develop)
        wrong = matches(bench, wanted.quality or list(QUALITIES))
        if wanted.matches:
            return
        mirrored(bench, wrong)
        football(bench, wrong)
        filmed(bench)
        asyncio.run(scripted(bench))
        print(f"{'text readings per clip, median':32}{median(bench.calls):>10}")


def matches(bench: Bench, qualities: Sequence[str]) -> Score:
    """Every design in every quality, with a minute that is right and one that is not. Gives what was misread."""
    by_design, wrong = {design: Score() for design in BUG_DESIGNS}, Score()
    print(f"{'local reader':24}" + "".join(f"{question:>13}" for question in QUESTIONS))
    for quality in qualities:
        whole = Score()
        for design in BUG_DESIGNS:
            here = Score()
            for scene in scenes(bench, design):
                reported = [here, whole, *([by_design[design]] if quality in GOOD else [])]
                judge(bench, scene, QUALITIES[quality], reported, wrong)
            print(f"{quality:14}{design:10}{here.shown(QUESTIONS)}", flush=True)
        print(f"{quality:24}{whole.shown(QUESTIONS)}", flush=True)
    print("per design, the first three qualities")
    for design, score in by_design.items():
        print(f"{design:24}{score.shown(QUESTIONS)}")
    return wrong


def scenes(bench: Bench, design: str) -> Iterator[ClipScene]:
    """Every fourth is in added time, and every fourth in extra time or its like."""
    for index in range(bench.seeds):
        number = bench.first + 10 * list(BUG_DESIGNS).index(design) + index
        dice = np.random.default_rng(number)
        home, away = (CLUBS[i] for i in dice.permutation(len(CLUBS))[:2])
        regular = int(dice.choice([45, 90])) if index % 8 != 7 else int(dice.choice([105, 120]))
        begins = {45: 0, 90: 45, 105: 90, 120: 105}[regular] * 60
        clock = (
            regular * 60 + int(dice.integers(20, 400))
            if index % 4 == 2
            else int(dice.integers(begins + 30, regular * 60 - 4))
        )
        score = int(dice.integers(0, 4)), int(dice.integers(0, 4))
        yield ClipScene(
            SceneKind.GOAL,
            home,
            away,
            score,
            bool(dice.integers(2)),
            clock,
            regular,
            0.5,
            SECONDS,
            1280,
            720,
            FPS,
            number,
            design,
            1 + int(dice.integers(5)),
            style=number,
        )


def judge(bench: Bench, scene: ClipScene, change: ClipChange, scores: Sequence[Score], wrong: Score) -> None:
    verdict = bench.look(bench.clip(scene, change), proof_of(scene))
    seen, proof = verdict.evidence.readings, verdict.evidence.proof
    exact = any(a.clock for a in seen) and all(is_exact(scene, (change,), a) for a in seen)
    answers = {
        "clock": exact,
        "minute": isinstance(verdict, Accepted) and verdict.status is TimestampStatus.VERIFIED,
        "other minute": outcome_of(decide_verdict("local", seen, expected_of(scene, FAR))) is ClipOutcome.WRONG_MINUTE,
        "football": all(answer.soccer for answer in seen),
        "direct": all(answer.screen is False for answer in seen),
        "teams": proof.teams_finding is Finding.CONFIRMED,
        "score": proof.score_finding is Finding.CONFIRMED,
        "not refuted": Finding.CONTRADICTED not in (proof.teams_finding, proof.score_finding, proof.half_finding),
    }
    printed = score_bug_at(scene, (change,), SECONDS / 4)
    if printed is not None and printed.period:
        answers["half"] = proof.half_finding is Finding.CONFIRMED
    for score in scores:
        for question, right in answers.items():
            score.note(question, right)
    wrong.note("false clock", any(a.clock and not is_exact(scene, (change,), a) for a in seen))
    if not all(answers.values()):
        missed = [question for question, right in answers.items() if not right]
        bench.tell(f"{scene.design} style {scene.style} {change.width} crf {change.crf}: {missed} {verdict}")


def is_exact(scene: ClipScene, changes: Sequence[ClipChange], answer: FrameReading) -> bool:
    """Right to the second wherever a clock was read; frames that were not needed have none. Mirrored is no excuse."""
    if answer.clock is None:
        return True
    upright = [replace(change, mirror=False) for change in changes]
    truth, minute = score_bug_at(scene, upright, answer.at), frame_minute(answer)
    if truth is None or minute is None:
        return False
    return minute * 60 + int((answer.stoppage_clock or answer.clock)[-2:]) == truth.seconds


def expected_of(scene: ClipScene, off: int) -> ExpectedGoal:
    minute = scene.clock // 60
    if minute < scene.regular:
        return ExpectedGoal((minute + off) if minute + off <= 90 else minute - off)
    return ExpectedGoal(scene.regular - off) if off else ExpectedGoal(scene.regular, minute - scene.regular + 1)


def proof_of(scene: ClipScene) -> ExpectedGoal:
    """The minute, the teams and the score of the scene."""
    expected, before = expected_of(scene, 0), MatchScore(*scene.score)
    after = replace(before, home=before.home + 1) if scene.scorer_home else replace(before, away=before.away + 1)
    teams = MatchTeams((NAMES[scene.home.short],), (NAMES[scene.away.short],))
    return replace(expected, teams=teams, change=ScoreChange(expected.minute, before, after))


def outcome_of(verdict: Verdict) -> ClipOutcome | None:
    return verdict.outcome if isinstance(verdict, Rejected) else None


def mirrored(bench: Bench, wrong: Score) -> None:
    """Matches that somebody mirrored: their clock is to be read in the mirror, or not at all."""
    score, change = Score(), replace(MIDDLE, mirror=True)
    for design in BUG_DESIGNS:
        for scene in scenes(bench, design):
            verdict = bench.look(bench.clip(scene, change), expected_of(scene, 0))
            verified = is_verified(verdict)
            false = any(not is_exact(scene, (change,), answer) for answer in verdict.evidence.readings)
            score.note("verified", verified)
            score.note("false clock", false)
            wrong.note("false clock", false)
            if false or not verified:
                bench.tell(f"mirrored {scene.design} {scene.seed}: {verdict}")
    print(f"{'mirrored: verified, false clocks':32}{score.shown(('verified', 'false clock'))}")


def football(bench: Bench, wrong: Score) -> None:
    """Football that hides its clock for a while or for good, and what is no football: no clock but the real one."""
    score, found = Score(), Score()
    for scene, change in others(bench):
        verdict = bench.look(bench.clip(scene, change), ExpectedGoal(30))
        truth = compute_clip_truth(scene, (change,))
        said = outcome_of(verdict) is not ClipOutcome.NOT_SOCCER
        score.note(f"{scene.show} told", said == truth.is_football)
        found.note("right" if truth.is_football else "wrong", said)
        if scene.show not in (SceneKind.AMERICAN_FOOTBALL, SceneKind.TENNIS, SceneKind.BASKETBALL):
            read = any(a.clock and not is_exact(scene, (change,), a) for a in verdict.evidence.readings)
            wrong.note("false clock", read)
            if read or said != truth.is_football:
                bench.tell(f"{scene.show} seed {scene.seed} {change}: {verdict}")
    for question, tries in score.tries.items():
        print(f"{question:32}{f'{score.hits[question]}/{tries}':>10}")
    print(f"{'football found, and what was not':32}{found.shown(('right', 'wrong'))}")
    print(f"{'false clocks':32}{wrong.shown(('false clock',))}")


def others(bench: Bench) -> Iterator[tuple[ClipScene, ClipChange]]:
    clubs = CLUBS[0], CLUBS[2]
    for index in range(bench.seeds * 2):
        number = bench.first + index
        plain = ClipScene(
            SceneKind.GOAL, *clubs, seed=number, style=number, width=854, height=480, duration=SECONDS, fps=FPS
        )
        yield replace(plain, show=SceneKind.REPLAY), MIDDLE
        yield replace(plain, show=SceneKind.FAN_CAM), MIDDLE
        yield replace(plain, show=SceneKind.FAN_CAM, width=480, height=854), ClipChange(width=360, height=640)
        yield replace(plain, duration=8.0, replay=3.0, moment=0.3), MIDDLE
        yield plain, replace(MIDDLE, mirror=True)
        for show in NOT_FOOTBALL:
            yield replace(plain, show=show), MIDDLE


def filmed(bench: Bench) -> None:
    """Screens that were filmed: none may be published as verified."""
    score = Score()
    for design in BUG_DESIGNS:
        for scene in scenes(bench, design):
            verdict = bench.look(bench.clip(scene, ClipChange(filmed=True, seed=scene.seed)), expected_of(scene, 0))
            verified = is_verified(verdict)
            score.note("verified", verified)
            score.note("named as such", outcome_of(verdict) is ClipOutcome.PHONE_SCREEN)
            score.note("unverified", isinstance(verdict, Accepted) and not verified)
            if verified:
                bench.tell(f"filmed {scene.design} {scene.seed}: {verdict}")
    print(f"{'filmed: verified, named, unverified':32}{score.shown(('verified', 'named as such', 'unverified'))}")


def is_verified(verdict: Verdict) -> bool:
    return isinstance(verdict, Accepted) and verdict.status is TimestampStatus.VERIFIED


async def scripted(bench: Bench) -> None:
    """What a model says of each frame reaches the verdict: its clock, and a no to football or to a direct picture."""
    vision = VisionServer()
    with serve_vision(vision) as url:
        reader = build_llm_reader(VisionSettings(llm_url=url))
        for design in BUG_DESIGNS:
            score = Score()
            for scene in scenes(bench, design):
                clip, right = (
                    bench.clip(scene, QUALITIES["854 crf 28"]),
                    SimulatedAnswer(CLOCK=format_clock(scene.clock)),
                )
                for question, said, off in (
                    ("minute", right, 0),
                    ("other minute", right, FAR),
                    ("football", replace(right, SOCCER=False), 0),
                    ("direct", replace(right, SCREEN=True), 0),
                ):
                    vision.script.extend([said, replace(said, CLOCK=format_clock(scene.clock + 2))])
                    verdict = await reader.read(clip, expected_of(scene, off))
                    score.note("clock", [answer.clock for answer in verdict.evidence.readings][:1] == [said.CLOCK])
                    score.note(question, _carried(question, verdict))
            print(f"{'scripted':14}{design:10}{score.shown(QUESTIONS)}")
        await reader.aclose()


def _carried(question: str, verdict: Verdict) -> bool:
    if question == "minute":
        return isinstance(verdict, Accepted) and verdict.status is TimestampStatus.VERIFIED
    wanted = {"other minute": ClipOutcome.WRONG_MINUTE, "football": ClipOutcome.NOT_SOCCER}
    return outcome_of(verdict) is wanted.get(question, ClipOutcome.PHONE_SCREEN)


def frames_of(file: Path) -> ClipFrames:
    with av.open(str(file)) as container:
        decoded = [
            Frame(float(f.time or 0), np.asarray(f.to_ndarray(format="rgb24"), np.uint8))
            for f in container.decode(video=0)
        ]
    quarter, half, most = (decoded[len(decoded) * part // 4] for part in (1, 2, 3))
    middle = len(decoded) // 2
    small = tuple(_small(frame) for frame in decoded[max(0, middle - 4) : middle + 4])

    async def beside(at: float) -> NeighbourFrames:
        target = at + 2.0 if at + 2.0 < decoded[-1].at else max(0.0, at - 2.0)
        first, last = sorted((at, target))
        way = tuple(_small(frame) for frame in decoded if first <= frame.at <= last)
        return NeighbourFrames(min(decoded, key=lambda frame: abs(frame.at - target)), way)

    return ClipFrames((quarter, most), half, small, load_neighbour=beside)


def _small(frame: Frame) -> Frame:
    """Within 640 by 360, as it is."""
    scale = min(640 / frame.width, 360 / frame.height, 1.0)
    size = round(frame.width * scale), round(frame.height * scale)
    return Frame(frame.at, np.asarray(cv2.resize(frame.pixels, size, interpolation=cv2.INTER_AREA), np.uint8))


if __name__ == "__main__":
    main()
