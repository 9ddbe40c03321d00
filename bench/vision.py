"""What looking at a clip costs, on one core: `python bench/vision.py [--clips 200]`.

Everything is measured in one run on one 30 s clip of 1920 × 1080, so that the ratios hold on any machine. Times are
those of the processor, which other work on the machine disturbs less than the wall clock.
"""

import argparse
import asyncio
import multiprocessing
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import av
import cv2
import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from PIL import Image

from found_footy.clips.check.conversion import to_clip_frames
from found_footy.domain.outcomes import TimestampStatus
from found_footy.embedded.endpoints import default_data_dir
from found_footy.platform.media.children.frames import write_selected_frames
from found_footy.platform.media.frames import ExtractedFrames, extract_frames
from found_footy.vision.classifier.builder import MODEL_FILE
from found_footy.vision.classifier.image_classifier import ImageClassifier
from found_footy.vision.expectation import ExpectedGoal
from found_footy.vision.frames import ClipFrames
from found_footy.vision.local.ocr import RapidOcrRecognizer
from found_footy.vision.local.reader import LocalReader
from found_footy.vision.local.scoreboard_search import read_scoreboard
from found_footy.vision.local.text_boxes import WHOLE_PICTURE, RelativeBox
from found_footy.vision.verdict import Accepted
from found_footy_sim.media import encoder
from found_footy_sim.media.clip_spec import ClipScene, SceneKind, TeamKit
from found_footy_sim.media.frames import render_frames
from found_footy_sim.media.graphics.score_bugs import draw_bug, score_bug_state_at

SECONDS, FPS, SIZE = 30, 25, (1920, 1080)
TOP = RelativeBox(0.0, 0.0, 1.0, 1 / 3)
SCENE = ClipScene(
    SceneKind.GOAL,
    TeamKit("LIV", "#c8102e", "#c8102e"),
    TeamKit("ARS", "#ffffff", "#101820"),
    clock=2052,
    design="bar",
    width=SIZE[0],
    height=SIZE[1],
    duration=float(SECONDS),
    fps=FPS,
    seed=9001,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clips", type=int, default=200, help="looks after which the memory is compared")
    wanted = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        clip = Path(folder) / "clip.mp4"
        encoder.write_mp4(clip, _pictures(), fps=FPS, size=SIZE)
        full = _cost(lambda: _full_decode(clip), 3)
        print(f"{'':36}{'ms':>9}{'of a full decode':>20}")
        _line("full decode, 30 s of 1080p", full, full)
        _line(
            "the 2 + 8 frames that are needed",
            _cost(lambda: write_selected_frames(clip, Path(folder), "outer"), 5),
            full,
        )
        _line(
            "the one in the middle, if wanted",
            _cost(lambda: write_selected_frames(clip, Path(folder), "half"), 3),
            full,
        )
        _line("the process children come from", _with_children(lambda: _frames(clip)), full)
        _line("the 2 + 8 frames by a child", _often(lambda: _frames(clip), 9), full)
        far = _first_seconds(clip, Path(folder) / "far.mp4", 20)
        _line("the same, 20 s, key frames far off", _often(lambda: _frames(far), 5), full)
        _validating(_reading(_frames(clip), full), clip, full)
        short = Path(folder) / "short.mp4"
        encoder.write_mp4(short, islice(_pictures(), 4 * FPS), fps=FPS, size=SIZE)
        _in_a_new_process(_memory, short, wanted.clips)


def _reading(frames: ClipFrames, full: float) -> LocalReader:
    ocr, classifier = RapidOcrRecognizer(), ImageClassifier(default_data_dir() / "models")
    picture = frames.outer_frames[0].pixels
    place = read_scoreboard(ocr, frames).location
    assert place is not None
    _line("text, whole frame", _cost(lambda: ocr.recognize_text(picture, WHOLE_PICTURE), 5), full)
    _line("text, top third", _cost(lambda: ocr.recognize_text(picture, TOP), 9), full)
    _line("text, located score bug", _cost(lambda: ocr.recognize_text(picture, place.bug), 9), full)
    _line("text, located clock", _cost(lambda: ocr.recognize_line(picture, place.clock_box), 15), full)
    _line("text, slow", _cost(lambda: ocr.recognize_text(picture, TOP, thorough=True), 3), full)
    bare, seen = _paired(_bare_call(), lambda: classifier.classify([picture]), 25)
    _line("ResNet-50, bare call", bare, full)
    _line(f"ResNet-50, a 1080p picture ({seen / bare:.2f} ×)", seen, full)
    reader = LocalReader(ocr, classifier)
    first = _cost(lambda: reader.read_blocking(frames, ExpectedGoal(34)), 5)
    reader.read_blocking(frames, ExpectedGoal(34), broadcast="match")
    later = _cost(lambda: reader.read_blocking(frames, ExpectedGoal(34), broadcast="match"), 9)
    _line("reading, first of a broadcast", first, full)
    _line("reading, later ones", later, full)
    return reader


def _validating(reader: LocalReader, clip: Path, full: float) -> None:
    """From the file to the verdict, as a worker does it."""
    verdicts = [reader.read_blocking(_frames(clip), ExpectedGoal(34), broadcast="seen before")]
    numbers = iter(range(100))
    first = _often(lambda: reader.read_blocking(_frames(clip), ExpectedGoal(34), broadcast=f"new {next(numbers)}"), 9)
    later = _often(
        lambda: verdicts.append(reader.read_blocking(_frames(clip), ExpectedGoal(34), broadcast="seen before")), 15
    )
    assert all(isinstance(one, Accepted) and one.status is TimestampStatus.VERIFIED for one in verdicts)
    _line("validation, first of a broadcast", first, full)
    _line("validation, later ones", later, full)


def _in_a_new_process(work: Callable[[Path, int], None], clip: Path, clips: int) -> None:
    """In one that has done nothing else: the memory of this one is that of the measurements before."""
    process = multiprocessing.get_context("spawn").Process(target=work, args=(clip, clips))
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"measuring the memory ended with {process.exitcode}")


def _memory(clip: Path, clips: int) -> None:
    """A worker's, which has the frames taken out by a child and looks at them. Five clips a match, found in turn."""
    reader = LocalReader(RapidOcrRecognizer(), ImageClassifier(default_data_dir() / "models"))
    memory, frames = {}, ClipFrames(())
    for number in range(clips):
        frames = _frames(clip) if number % 5 == 0 else frames
        reader.read_blocking(frames, ExpectedGoal(34), broadcast=f"match {number // 5}")
        if number + 1 in (clips // 4, clips // 2, clips):
            memory[number + 1] = _resident()
    print("memory: " + ", ".join(f"{size / 2**20:.0f} MiB after {number} clips" for number, size in memory.items()))
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10:.0f} MiB")


@dataclass(frozen=True)
class _Backgrounds:
    pictures: list[Image.Image]

    @classmethod
    def drawn(cls) -> "_Backgrounds":
        """A second of play; drawing all of it would take longer than everything that is measured."""
        few = ClipScene(**{**SCENE.__dict__, "design": "none", "duration": 2.0, "fps": 12})
        return cls(list(render_frames(few)))


def _pictures() -> Iterator[Image.Image]:
    behind = _Backgrounds.drawn().pictures
    there_and_back = [*behind, *behind[-2:0:-1]]
    for number in range(SECONDS * FPS):
        picture = there_and_back[number // 2 % len(there_and_back)].copy()
        panel, corner = draw_bug(SCENE.design, score_bug_state_at(SCENE, number / FPS), SIZE)
        picture.paste(panel, corner, panel)
        yield picture


def _full_decode(clip: Path) -> None:
    with av.open(str(clip)) as container:
        container.streams.video[0].thread_count = 1
        for _ in container.decode(video=0):
            pass


def _first_seconds(clip: Path, target: Path, seconds: int) -> Path:
    with av.open(str(clip)) as old, av.open(str(target), "w") as new:
        stream = new.add_stream_from_template(old.streams.video[0])
        for packet in islice(old.demux(video=0), seconds * FPS):
            packet.stream = stream
            new.mux(packet)
    return target


def _frames(clip: Path) -> ClipFrames:
    with tempfile.TemporaryDirectory() as folder:
        pictures = asyncio.run(extract_frames(clip, Path(folder)))
    assert isinstance(pictures, ExtractedFrames), pictures
    return to_clip_frames(pictures)


def _often(work: Callable[[], object], times: int) -> float:
    """Median milliseconds of the processor, children included, after a first call that does not count."""
    work()
    return statistics.median(_with_children(work) for _ in range(times))


def _with_children(work: Callable[[], object]) -> float:
    """Milliseconds of the processor in this process and those below it."""
    before, below = time.process_time(), _spent_below()
    work()
    return (time.process_time() - before + _spent_below() - below) * 1000


def _spent_below() -> float:
    """Seconds of the living children and of those that they have waited for; to a hundredth."""
    spent = 0
    for task in Path("/proc/self/task").iterdir():
        for pid in (task / "children").read_text(encoding="ascii").split():
            numbers = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
            spent += sum(int(number) for number in numbers[11:15])
    return spent / os.sysconf("SC_CLK_TCK")


def _bare_call() -> Callable[[], object]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    path = str(default_data_dir() / "models" / MODEL_FILE)
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    image = np.asarray(cv2.resize(np.zeros((9, 9, 3), np.uint8), (224, 224)), np.uint8)[None]
    return lambda: session.run(None, {"image": image})


def _paired(one: Callable[[], object], other: Callable[[], object], times: int) -> tuple[float, float]:
    """Two medians, taken in turns: what disturbs the machine disturbs both."""
    pairs = [(_cost(one, 1), _cost(other, 1)) for _ in range(times)]
    return statistics.median(first for first, _ in pairs), statistics.median(second for _, second in pairs)


def _cost(work: Callable[[], object], times: int) -> float:
    """Median milliseconds of the processor, after a first call that does not count."""
    work()
    spent = []
    for _ in range(times):
        before = time.process_time()
        work()
        spent.append((time.process_time() - before) * 1000)
    return statistics.median(spent)


def _line(what: str, cost: float, full: float) -> None:
    print(f"{what:36}{cost:9.1f}{cost / full:19.3f} ×", flush=True)


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
