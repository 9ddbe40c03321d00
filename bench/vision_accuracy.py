"""How often looking is right, on clips of the media factory with seeds that nothing was developed on.

`python bench/vision_accuracy.py [--seeds 3] [--folder DIR]` prints a row per design of the score bug and per quality
of the file. The scripted rows show that the other reader carries a model's answers through, not that a model is good.
"""

import argparse
import asyncio
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import av
import cv2
import numpy as np

from found_footy.embedded.endpoints import default_data_dir
from found_footy.model.outcome import ClipOutcome, TimestampStatus
from found_footy.sim.media.bugs import DESIGNS, reading_at
from found_footy.sim.media.files import render
from found_footy.sim.media.spec import Change, Club, Scene, Show
from found_footy.sim.visionserver.script import Said
from found_footy.sim.visionserver.server import Answerer, VisionServer
from found_footy.sim.visionserver.serving import serving
from found_footy.vision.building import build_llm
from found_footy.vision.classifier.model import Classifier
from found_footy.vision.frames import ClipFrames, Expected, Frame
from found_footy.vision.local.ocr import Ocr
from found_footy.vision.local.reader import LocalReader
from found_footy.vision.settings import VisionSettings
from found_footy.vision.verdict import Accepted, Rejected, Verdict

HELD_BACK = 9100
CLUBS = [Club("LIV", "#c8102e", "#c8102e"), Club("ARS", "#ffffff", "#101820"), Club("BVB", "#fde100", "#101820"),
         Club("PSG", "#0b1f4b", "#c8102e"), Club("INT", "#1456a0", "#101820")]  # fmt: skip
QUALITIES = {
    "1280 crf 23": Change(width=1280, height=720, crf=23),
    "854 crf 28": Change(width=854, height=480, crf=28),
    "640 crf 28": Change(width=640, height=360, crf=28),
    "640 crf 34": Change(width=640, height=360, crf=34),
    "480 crf 30": Change(width=480, height=270, crf=30),
}
FPS, SECONDS, FAR = 3, 4.0, 20


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
        return "".join(f"{cell:>12}" for cell in cells)


QUESTIONS = ("clock", "minute", "other minute", "football", "direct")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where rendered clips are kept; by default nowhere")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = wanted.folder or Path(scratch)
        reader = LocalReader(Ocr(), Classifier(default_data_dir() / "models"))
        print(f"{'local reader':26}" + "".join(f"{question:>12}" for question in QUESTIONS))
        for quality, change in QUALITIES.items():
            for design in DESIGNS:
                score = Score()
                for scene in _scenes(design, wanted.seeds):
                    _judge(reader, scene, _frames(render(scene, (change,), folder)), score)
                print(f"{design + ', ' + quality:26}{score.shown(QUESTIONS)}", flush=True)
        _strangers(reader, wanted.seeds, folder)
        asyncio.run(_scripted(wanted.seeds, folder))


def _scenes(design: str, seeds: int) -> Iterator[Scene]:
    """Ordinary minutes, and added time in every third."""
    for index in range(seeds):
        dice = np.random.default_rng(HELD_BACK + index)
        home, away = (CLUBS[i] for i in dice.permutation(len(CLUBS))[:2])
        regular = int(dice.choice([45, 90]))
        clock = regular * 60 + int(dice.integers(20, 400)) if index % 3 == 2 else int(dice.integers(30, regular * 60))
        score = int(dice.integers(0, 4)), int(dice.integers(0, 4))
        yield Scene(
            Show.GOAL, home, away, score, bool(dice.integers(2)), clock, regular, 0.5, SECONDS, 1280, 720, FPS,
            HELD_BACK + index, design, 1 + int(dice.integers(3)),
        )  # fmt: skip


def _judge(reader: LocalReader, scene: Scene, clip: ClipFrames, score: Score) -> None:
    expected, wrong = _expected(scene, 0), _expected(scene, FAR)
    verdict = reader.look(clip, expected)
    seen = verdict.evidence.answers
    score.note(
        "clock", any(a.clock for a in seen) and all(_exact(scene, a.at, a.clock, a.stoppage_clock) for a in seen)
    )
    score.note("minute", isinstance(verdict, Accepted) and verdict.status is TimestampStatus.VERIFIED)
    score.note("other minute", _outcome(reader.look(clip, wrong)) is ClipOutcome.WRONG_MINUTE)
    score.note("football", all(answer.soccer for answer in seen))
    score.note("direct", all(answer.screen is False for answer in seen))


def _exact(scene: Scene, at: float, clock: str | None, timer: str | None) -> bool:
    """Right to the second wherever a clock was read; frames that were not needed have none."""
    if clock is None:
        return True
    truth = reading_at(scene, at)
    over = f"{truth.over // 60:02d}:{truth.over % 60:02d}"
    return clock == truth.clock or (clock == truth.frozen_clock and timer == over)


def _expected(scene: Scene, off: int) -> Expected:
    minute = scene.clock // 60
    if minute < scene.regular:
        return Expected((minute + off) if minute + off <= 90 else minute - off)
    return Expected(scene.regular - off) if off else Expected(scene.regular, minute - scene.regular + 1)


def _outcome(verdict: Verdict) -> ClipOutcome | None:
    return verdict.outcome if isinstance(verdict, Rejected) else None


def _strangers(reader: LocalReader, seeds: int, folder: Path) -> None:
    """What must not pass: screens that were filmed, and a studio."""
    score = Score()
    for design in DESIGNS:
        for scene in _scenes(design, seeds):
            verdict = reader.look(_frames(render(scene, (Change(filmed=True),), folder)), _expected(scene, 0))
            verified = isinstance(verdict, Accepted) and verdict.status is TimestampStatus.VERIFIED
            score.note("filmed, not verified", not verified)
            score.note("filmed, rejected", isinstance(verdict, Rejected))
            score.note("filmed, named", _outcome(verdict) is ClipOutcome.PHONE_SCREEN)
    studio = Scene(Show.STUDIO, CLUBS[0], CLUBS[1], width=1280, height=720, duration=SECONDS, fps=FPS)
    verdict = reader.look(_frames(render(studio, (), folder)), Expected(30))
    score.note("studio, rejected", _outcome(verdict) is ClipOutcome.NOT_SOCCER)
    for question, tries in score.tries.items():
        print(f"{question:26}{score.hits[question]:>6}/{tries}")


async def _scripted(seeds: int, folder: Path) -> None:
    vision, score = VisionServer(), Score()
    with serving(vision) as url:
        reader = build_llm(VisionSettings(llm_url=url))
        for scene in _scenes("bar", seeds):
            clip = _frames(render(scene, (QUALITIES["854 crf 28"],), folder))
            vision.answer = _truth(scene)
            verdict = await reader.read(clip, _expected(scene, 0))
            score.note("minute", isinstance(verdict, Accepted) and verdict.status is TimestampStatus.VERIFIED)
            score.note(
                "other minute", _outcome(await reader.read(clip, _expected(scene, FAR))) is ClipOutcome.WRONG_MINUTE
            )
        await reader.aclose()
    print(f"{'scripted model':26}{score.shown(QUESTIONS)}")


def _truth(scene: Scene) -> Answerer:
    def answer(pictures: Sequence[bytes]) -> list[Said]:
        return [Said(CLOCK=reading_at(scene, SECONDS / 2).clock) for _ in pictures]

    return answer


def _frames(file: Path) -> ClipFrames:
    with av.open(str(file)) as container:
        decoded = [Frame(float(f.time or 0), np.asarray(f.to_ndarray(format="rgb24"), np.uint8))
                   for f in container.decode(video=0)]  # fmt: skip
    quarter, half, most = (decoded[len(decoded) * part // 4] for part in (1, 2, 3))
    middle = len(decoded) // 2
    small = tuple(Frame(f.at, np.asarray(cv2.resize(f.pixels, (640, 360), interpolation=cv2.INTER_AREA), np.uint8))
                  for f in decoded[max(0, middle - 4) : middle + 4])  # fmt: skip
    return ClipFrames((quarter, most), half, small)


if __name__ == "__main__":
    main()
