"""Processor time of a clip from its file to its fingerprint, by stage, on the clips of simulated match days.

`python -m bench.clip_cost --seeds 71101 [--world demo] [--limit N] [--rows FILE]` takes every post of the day that the
product would fetch through the stages of the worker, in one process and without servers: prepare (facts, thumbnail,
preview), frames, text (recognition of it), picture model, rest of the check, fingerprint (of accepted clips). It prints
seconds per stage and per kind of clip. Children run in the same process here, so that starting them is not counted.
Processor time hardly depends on what else runs, so that two versions can be compared on a busy machine. FILE gets one
line of JSON per clip, with its verdict, to compare those too.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.world_clips import expected_goal
from found_footy.embedded.endpoints import default_data_dir
from found_footy.fingerprint import compute_fingerprint
from found_footy.platform.errors import ExternalSystemError
from found_footy.platform.media import frames as media_frames
from found_footy.platform.media.children import frames as frames_child
from found_footy.platform.media.children import probe as probe_child
from found_footy.vision.classifier.image_classifier import ClassifierOutput, ImageClassifier
from found_footy.vision.expectation import ProofRules
from found_footy.vision.frames import ClipFrames, Frame, NeighbourFrames, Pixels
from found_footy.vision.local.ocr import RapidOcrRecognizer
from found_footy.vision.local.reader import LocalReader
from found_footy.vision.local.text_boxes import RelativeBox, TextBox
from found_footy.vision.verdict import Accepted, Rejected
from found_footy_sim.media.clip_library import ClipLibrary, default_media_dir
from found_footy_sim.world.goals import SimulatedGoal
from found_footy_sim.world.match_day import make_world

STAGES = ("prepare", "frames", "text", "picture model", "rest of the check", "fingerprint")
# Refused before anything is decoded, or without a file.
_NOT_FETCHED = ("unreachable",)


@dataclass
class StageClock:
    """Processor seconds of this process by stage; what an inner stage takes is not the outer one's."""

    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    _inner: list[float] = field(default_factory=lambda: [0.0])

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        began = time.process_time()
        self._inner.append(0.0)
        try:
            yield
        finally:
            spent = time.process_time() - began
            self.seconds[stage] += spent - self._inner.pop()
            self._inner[-1] += spent


@dataclass(frozen=True)
class MeasuredClip:
    clip: str
    kind: str
    verdict: str
    rule: str
    seconds: dict[str, float]


class TimedRecognizer:
    def __init__(self, clock: StageClock) -> None:
        self._recognizer, self._clock = RapidOcrRecognizer(), clock

    def recognize_text(self, picture: Pixels, part: RelativeBox, *, thorough: bool = False) -> list[TextBox]:
        with self._clock.measure("text"):
            return self._recognizer.recognize_text(picture, part, thorough=thorough)

    def recognize_line(self, picture: Pixels, part: RelativeBox) -> TextBox | None:
        with self._clock.measure("text"):
            return self._recognizer.recognize_line(picture, part)


class TimedClassifier(ImageClassifier):
    def __init__(self, clock: StageClock) -> None:
        super().__init__(default_data_dir() / "models")
        self._clock = clock

    def classify(self, pictures: Sequence[Pixels]) -> ClassifierOutput:
        with self._clock.measure("picture model"):
            return super().classify(pictures)


class ClipMeter:
    """Takes clips through the stages, with one set of models, as a worker has."""

    def __init__(self) -> None:
        self._clock = StageClock()
        self._reader = LocalReader(TimedRecognizer(self._clock), TimedClassifier(self._clock))

    def measure_clip(
        self, path: Path, goal: SimulatedGoal, goals: Sequence[SimulatedGoal], kind: str, name: str
    ) -> MeasuredClip:
        self._clock.seconds.clear()
        with tempfile.TemporaryDirectory() as scratch:
            verdict, rule = self._check(path, goal, goals, Path(scratch))
        return MeasuredClip(name, kind, verdict, rule, dict(self._clock.seconds))

    def _check(self, path: Path, goal: SimulatedGoal, goals: Sequence[SimulatedGoal], folder: Path) -> tuple[str, str]:
        with self._clock.measure("prepare"):
            probe_child.inspect_file(path, folder / "a.jpg", folder / "a.mp4", folder / "b.mp4")
        expected = expected_goal(goal, goals, ProofRules())
        frames = self._extract(path, folder, "outer")
        outer = tuple(_to_frame(one) for one in (frames.quarter, frames.three_quarters) if one is not None)
        clip = ClipFrames(
            outer,
            None,
            tuple(_to_frame(one) for one in frames.small),
            load_middle=lambda: self._load_middle(path, folder),
            load_neighbour=lambda at: self._load_neighbour(path, folder, at),
        )
        with self._clock.measure("rest of the check"):
            try:
                verdict = asyncio.run(self._reader.read(clip, expected, broadcast=str(goal.match.id)))
            except ExternalSystemError as error:
                return "unavailable", str(error)
        if isinstance(verdict, Accepted):
            with self._clock.measure("fingerprint"):
                compute_fingerprint(str(path))
        said = verdict.outcome if isinstance(verdict, Rejected) else verdict.status
        return str(said), verdict.evidence.rule

    def _extract(self, path: Path, folder: Path, which: str) -> media_frames.ExtractedFrames:
        with self._clock.measure("frames"):
            listed = frames_child.write_selected_frames(path, folder, which)["pictures"]
            return media_frames.load_frames(folder, listed)

    async def _load_middle(self, path: Path, folder: Path) -> Frame | None:
        found = self._extract(path, folder, "half").half
        return None if found is None else _to_frame(found)

    async def _load_neighbour(self, path: Path, folder: Path, at: float) -> NeighbourFrames:
        found = self._extract(path, folder, f"beside:{at:.3f}")
        if found.beside is None:
            return NeighbourFrames(None)
        return NeighbourFrames(_to_frame(found.beside), tuple(map(_to_frame, found.small)))


def _to_frame(one: media_frames.ExtractedFrame) -> Frame:
    return Frame(one.at, one.pixels)


def measure_day(meter: ClipMeter, seed: int, size: str, limit: int | None) -> Iterator[MeasuredClip]:
    """Every post that the product would fetch, in the order of the day, each judged for the goal it is about."""
    world = make_world(seed, size)
    goals = {goal.id: goal for goal in world.truth.goals}
    library = ClipLibrary(world.scenario, default_media_dir())
    posts = [
        (post, truth)
        for post, truth in zip(world.scenario.posts, world.truth.posts, strict=True)
        if not any(word.startswith(_NOT_FETCHED) for word in truth.expected.values())
    ]
    for post, truth in posts[:limit]:
        path = library.get_path(world.scenario.get_clip(post.clip))
        kind = str(world.truth.footage[post.clip].kind)
        yield meter.measure_clip(path, goals[truth.about], world.truth.goals, kind, f"{seed} {post.clip}")


def render_costs(clips: Sequence[MeasuredClip]) -> str:
    """One line per stage, then one per kind of clip: milliseconds per clip, and the share of all."""
    total = sum(sum(one.seconds.values()) for one in clips) or 1.0
    lines = ["| | ms per clip | share |", "|---|---|---|"]
    for stage in STAGES:
        spent = sum(one.seconds.get(stage, 0.0) for one in clips)
        lines.append(f"| {stage} | {1000 * spent / max(1, len(clips)):.0f} | {spent / total:.0%} |")
    lines += [f"| all of {len(clips)} clips | {1000 * total / max(1, len(clips)):.0f} | |", ""]
    by_kind: dict[str, list[MeasuredClip]] = defaultdict(list)
    for one in clips:
        by_kind[one.kind].append(one)
    lines += ["| kind | clips | ms per clip | " + " | ".join(STAGES) + " |", "|---" * (3 + len(STAGES)) + "|"]
    for kind, mine in sorted(by_kind.items()):
        means = [1000 * sum(one.seconds.get(stage, 0.0) for one in mine) / len(mine) for stage in STAGES]
        lines.append(
            f"| {kind} | {len(mine)} | {sum(means):.0f} | " + " | ".join(f"{mean:.0f}" for mean in means) + " |"
        )
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", required=True)
    parser.add_argument("--world", choices=["small", "demo", "full"], default="demo")
    parser.add_argument("--limit", type=int, help="only the first posts of each day")
    parser.add_argument("--rows", type=Path, help="write every clip here, as lines of JSON")
    wanted = parser.parse_args(argv)
    meter = ClipMeter()
    clips = [one for seed in wanted.seeds for one in measure_day(meter, seed, wanted.world, wanted.limit)]
    if wanted.rows:
        wanted.rows.write_text("".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in clips))
    print(render_costs(clips))


if __name__ == "__main__":
    main()
