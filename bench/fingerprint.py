"""What a fingerprint costs: making one, comparing two, finding one among many.

    python -m bench.fingerprint [--peers DIR] [--quick]

Making: CPU seconds for 30 s of H.264 with three B-frames, against decoding alone with the same decoder (the limit for
whoever decodes every frame) and against peers. A peer is measured if DIR/<name> is a virtual environment that has it
(`imagehash` with opencv-python-headless, `vpdq`, `videohash` with pillow<10 and imageio-ffmpeg); none is a dependency.
Comparing: against a plain-Python walk along the diagonals of the same fingerprints. Finding: 100, 1,000, 10,000.
All numbers are CPU time; for making, the median of three rounds, ours and the others' in turn; else the best round.
"""

import argparse
import os
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from statistics import median

import av
import numpy as np
from numpy.typing import NDArray

from bench.fingerprint_peers import PEERS
from found_footy.fingerprint import (
    DenseFingerprint,
    Fingerprint,
    FingerprintIndex,
    compare_fingerprints,
    compute_fingerprint,
)
from found_footy.fingerprint.frame_sampler import DECODER_THREADS, SampledVideo
from found_footy.fingerprint.motion_signature import MotionView
from found_footy.fingerprint.video_fingerprint import build_fingerprint
from tests.support.fingerprint import scenes

CACHE = Path(tempfile.gettempdir()) / "found-footy-bench"
SIZES = {"1080p": (1920, 1080, 3_400_000), "720p": (1280, 720, 2_500_000)}
SECONDS, FPS = 30, 30
VARIANTS = 8

Row = tuple[str, str, str, str, str]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    arguments.add_argument("--peers", type=Path, default=CACHE / "peers")
    arguments.add_argument("--quick", action="store_true", help="one round, and no more than 1,000 clips")
    chosen = arguments.parse_args()
    rounds = 1 if chosen.quick else 3
    show("making a fingerprint of 30 s (CPU s)", [row for name in SIZES for row in making(name, rounds, chosen.peers)])
    show("comparing two clips of 60 s (CPU ms)", comparing(rounds))
    show("finding one clip among many (CPU ms)", finding((100, 1000) if chosen.quick else (100, 1000, 10_000)))


def show(title: str, rows: list[Row]) -> None:
    table = [(title, "ours", "other", "limit", "other / ours"), *rows]
    widths = [max(len(row[column]) for row in table) for column in range(5)]
    print()
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def cpu(work: Callable[[], object], rounds: int) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def clip(name: str) -> Path:
    """A panning scene with grain, made once."""
    width, height, bitrate = SIZES[name]
    path = CACHE / f"{name}.mp4"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        options = {"preset": "medium", "bf": "3", "maxrate": str(2 * bitrate), "bufsize": str(2 * bitrate)}
        with av.open(str(unfinished), "w", format="mp4") as container:
            stream = container.add_stream("libx264", rate=FPS, options=options)
            stream.width, stream.height, stream.pix_fmt, stream.bit_rate = width, height, "yuv420p", bitrate
            for frame in grainy(width, height):
                container.mux(stream.encode(frame))
            container.mux(stream.encode())
        unfinished.rename(path)
    return path


def grainy(width: int, height: int) -> Iterator[av.VideoFrame]:
    film = scenes.Scene(7, seconds=SECONDS, width=480, height=270, fps=FPS, figures=22).film()
    grain = np.random.default_rng(1).integers(0, 7, (height + 64, width + 64), np.uint8)
    for number, picture in enumerate(film.pictures):
        gray = av.VideoFrame.from_ndarray(picture, format="gray").reformat(width, height, interpolation="BICUBIC")
        y, x = number * 13 % 64, number * 29 % 64
        sharp = np.minimum(gray.to_ndarray(), 248) + grain[y : y + height, x : x + width]
        frame = av.VideoFrame.from_ndarray(sharp.astype(np.uint8), format="gray").reformat(format="yuv420p")
        frame.pts, frame.time_base = number, Fraction(1, FPS)
        yield frame


def decoded(path: Path) -> int:
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        stream.codec_context.thread_count = DECODER_THREADS
        return sum(1 for _ in container.decode(stream))


def making(name: str, rounds: int, peers: Path) -> list[Row]:
    path = clip(name)
    times: dict[str, list[float | None]] = defaultdict(list)
    for _ in range(rounds):
        times["floor"].append(cpu(lambda: decoded(path), 1))
        times["ours"].append(cpu(lambda: compute_fingerprint(path), 1))
        for peer, program in PEERS.items():
            times[peer].append(measured(peers / peer.replace(",", " ").split()[0], program, path))
    middle = {who: median(t for t in taken if t) if all(taken) else None for who, taken in times.items()}
    floor, ours = middle["floor"] or 0.0, middle["ours"] or 1.0
    rows = [(f"{name}: decoding alone", f"{ours:.2f}", f"{floor:.2f}", f"{floor:.2f}", f"{floor / ours:.2f}")]
    for peer in PEERS:
        seconds = middle[peer]
        row = (f"{seconds:.2f}", f"{seconds / ours:.2f}") if seconds else ("not installed", "")
        rows.append((f"{name}: {peer}", f"{ours:.2f}", row[0], f"{floor:.2f}", row[1]))
    return rows


def measured(environment: Path, program: str, path: Path) -> float | None:
    """CPU seconds of the peer and of what it starts, without its imports; nothing if it does not run."""
    python = environment / "bin" / "python"
    if not python.exists():
        return None
    command = [str(python), "-c", program, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=os.environ, check=False)
    if done.returncode:
        print(f"{environment.name} does not run: {done.stderr.strip().rpartition(chr(10))[2]}")
        return None
    return float(done.stdout.split()[-1])


def quick_print(film: scenes.Film) -> Fingerprint:
    return build_fingerprint(SampledVideo(film.pictures, film.seconds, 16 / 9))


def tiny(place: int, seconds: float) -> scenes.Film:
    return scenes.Scene(place, seconds=seconds, width=48, height=27, fps=8).film()


def comparing(rounds: int) -> list[Row]:
    one, other = quick_print(tiny(1, 60)), quick_print(tiny(2, 60))
    copy = quick_print(scenes.gamma(tiny(1, 60), 1.3))
    rows: list[Row] = []
    for name, second in (("strangers", other), ("copies", copy)):
        ours = cpu(partial(compare_fingerprints, one, second), 5 * rounds) * 1000
        walk = cpu(partial(plain_motion, one.views[0], second.views[0]), rounds) * 1000
        rows.append((f"motion, {name}", f"{ours:.2f}", f"{walk:.0f}", "", f"{walk / ours:.0f}"))
    ours = cpu(lambda: compare_fingerprints(one.dense, other.dense), 5 * rounds) * 1000
    walk = cpu(lambda: plain_dense(one.dense, other.dense), rounds) * 1000
    return [*rows, ("text", f"{ours:.2f}", f"{walk:.1f}", "", f"{walk / ours:.0f}")]


def plain_motion(a: MotionView, b: MotionView) -> float:
    """One zoom, one facing, no drift: less than `compare` does."""

    def rows(view: MotionView) -> list[tuple[int, int, int]]:
        planes = zip(view.brighter, view.darker, strict=True)
        whole = [(int.from_bytes(up.tobytes(), "big"), int.from_bytes(down.tobytes(), "big")) for up, down in planes]
        return [(up, down, (up | down).bit_count() or 1) for up, down in whole]

    first, second, best = rows(a), rows(b), 0.0
    for shift in range(-len(first) + 1, len(second)):
        total, count = 0.0, 0
        for i in range(max(0, -shift), min(len(first), len(second) - shift)):
            up, down, size = first[i]
            up_, down_, size_ = second[i + shift]
            same = (up & up_).bit_count() + (down & down_).bit_count()
            total += (same - (up & down_).bit_count() - (down & up_).bit_count()) / (size * size_) ** 0.5
            count += 1
        best = max(best, total / count)
    return best


def plain_dense(a: DenseFingerprint, b: DenseFingerprint) -> bool:
    for shift in range(-len(a.frames) + 1, len(b.frames)):
        run = 0
        for i in range(max(0, -shift), min(len(a.frames), len(b.frames) - shift)):
            run = run + 1 if (a.frames[i][1] ^ b.frames[i + shift][1]).bit_count() <= 10 else 0
            if run == 3:
                return True
    return False


def upside_down(plane: NDArray[np.uint8]) -> NDArray[np.uint8]:
    bits = np.unpackbits(plane, axis=1).reshape(-1, 9, 16)[:, ::-1]
    return np.packbits(bits.reshape(-1, 144), axis=1)


def variant(original: Fingerprint, number: int) -> Fingerprint:
    """Another clip with the same statistics: upside down, backwards, or with light and dark exchanged."""

    def changed(view: MotionView) -> MotionView:
        up, down, energy = view.brighter, view.darker, view.energy
        if number & 1:
            up, down = upside_down(up), upside_down(down)
        if number & 2:
            up, down, energy = down[::-1], up[::-1], energy[::-1]
        if number & 4:
            up, down = down, up
        return MotionView(view.role, up, down, energy)

    views = tuple(changed(view) for view in original.views)
    return Fingerprint(original.duration, original.aspect, views, original.stills, original.dense)


def finding(counts: tuple[int, ...]) -> list[Row]:
    index: FingerprintIndex[int] = FingerprintIndex()
    questions = [(place, copy) for place in range(5) for copy in copies(tiny(place, 10))]
    rows: list[Row] = []
    original = quick_print(tiny(0, 10))
    for number in range(counts[-1]):
        if number % VARIANTS == 0:
            original = quick_print(tiny(number // VARIANTS, 10))
        index.add(number, variant(original, number % VARIANTS))
        if number + 1 in counts:
            rows.append(asked(index, questions, number + 1))
    first, last = float(rows[0][1]), float(rows[-1][1])
    return [*rows, (f"growth from {counts[0]} to {counts[-1]}", f"{last / first:.1f} x", "", "10 x", "")]


def copies(film: scenes.Film) -> Iterator[Fingerprint]:
    yield quick_print(scenes.trimmed(film, 1, 8))
    yield quick_print(scenes.mirrored(film))
    yield quick_print(scenes.cropped(film, 0.08))
    yield quick_print(scenes.gamma(film, 1.4))


def asked(index: FingerprintIndex[int], questions: list[tuple[int, Fingerprint]], size: int) -> Row:
    """The other way is to compare with every stored clip."""
    index.query(questions[0][1])
    found = sum(place * VARIANTS in [key for key, _ in index.query(copy)] for place, copy in questions)
    ours = cpu(lambda: [index.query(copy) for _, copy in questions], 2) * 1000 / len(questions)
    one, other = questions[0][1], questions[-1][1]
    each = cpu(lambda: compare_fingerprints(one, other), 10) * 1000 * size
    name = f"{size} stored, {found} of {len(questions)} copies found"
    return (name, f"{ours:.1f}", f"{each:.0f}", "", f"{each / ours:.0f}")


if __name__ == "__main__":
    main()
