"""The films that accuracy is measured on: moments of the media factory's matches and of any real videos in a folder.

Moments with the same `ground` were filmed by one camera, or come from one video: alike, and never copies.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np

from found_footy_sim.media.clip_library import render_clip
from found_footy_sim.media.clip_spec import ClipChange, ClipScene, SceneKind, TeamKit
from tests.support.fingerprint.pans import Pan
from tests.support.fingerprint.scenes import Film, at_rate

DEVELOPMENT, HELD_BACK = 9400, 11700  # 7300 was used for development too
WIDTH, MOST_FPS = 256, 25
MOMENT, GAP, MOST_MOMENTS = 8.0, 0.5, 4
LONG, SHORTEST = 30.0, 3.5
PANS = 24

RED, WHITE = TeamKit("RED", "#c8102e", "#c8102e"), TeamKit("WHI", "#ffffff", "#101820")
YELLOW, BLUE = TeamKit("YEL", "#fde100", "#101820"), TeamKit("BLU", "#0b1f4b", "#c8102e")


@dataclass(frozen=True)
class Source:
    """`play` names what happened: the same play on another ground is another camera's view of it."""

    name: str
    ground: str
    path: Path
    start: float = 0.0
    end: float = 1e9
    play: str = ""
    changed: bool = True  # worth making copies of
    filmed: Path | None = None  # the same, filmed off a screen

    def film(self) -> Film:
        return read(self.path, self.start, self.end)


def read(path: Path, start: float = 0.0, end: float = 1e9) -> Film:
    """In gray, because only brightness is looked at."""
    pictures = []
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        rate = float(stream.average_rate or 25)
        width = min(WIDTH, stream.width)
        size = width - width % 2, round(stream.height * width / stream.width / 2) * 2
        for number, frame in enumerate(container.decode(stream)):
            if number / rate >= end:
                break
            if number / rate >= start:
                small = frame.reformat(*size, format="gray", interpolation="AREA", dst_color_range="JPEG")
                pictures.append(small.to_ndarray())
    film = Film(np.stack(pictures), rate)
    return at_rate(film, MOST_FPS) if rate > MOST_FPS else film


def seconds(path: Path) -> float:
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        return sum(1 for packet in container.demux(stream) if packet.size) / float(stream.average_rate or 25)


def factory(seed: int, folder: Path) -> list[Source]:
    """Three matches; in the first, five goals of one camera and two of the same goals from others."""
    shots = [(RED, WHITE, 1, n) for n in range(5)] + [(RED, WHITE, angle, n) for angle in (2, 3) for n in range(2)]
    shots += [(YELLOW, BLUE, 1, n) for n in range(2)] + [(BLUE, WHITE, 2, 0)]
    return [_shot(*shot, seed, folder) for shot in shots]


def _shot(home: TeamKit, away: TeamKit, angle: int, number: int, seed: int, folder: Path) -> Source:
    scene = ClipScene(
        SceneKind.GOAL,
        home,
        away,
        seed=seed + 10 * number + ord(home.short[0]),
        clock=600 + 700 * number,
        moment=0.35 + 0.07 * number,
        duration=8.0 + number,
        angle=angle,
        design=("bar", "pill", "none")[number % 3] if number < 2 else "bar",
    )
    match = f"{home.short}-{away.short}"
    return Source(
        name=f"factory {match} {number} camera {angle}",
        ground=f"{match} camera {angle}",
        path=render_clip(scene, (), folder),
        play=f"{match} {number}",
        changed=number < 3,
        filmed=render_clip(scene, (ClipChange(filmed=True),), folder),
    )


def long_shots(seed: int, folder: Path) -> list[Source]:
    scenes = [
        ClipScene(SceneKind.GOAL, RED, WHITE, seed=seed + n, moment=0.6, duration=40.0, clock=900 * n) for n in (1, 2)
    ]
    return [Source(f"factory long {scene.seed}", "long", render_clip(scene, (), folder)) for scene in scenes]


def studio(folder: Path) -> list[Source]:
    """Moments of one talk at a desk. It is an animation that repeats itself every seven seconds."""
    path = render_clip(ClipScene(SceneKind.STUDIO, RED, WHITE, duration=32.0), (), folder)
    return [Source(f"studio {start}", "studio", path, start, start + 6.0) for start in (0.0, 8.5, 17.0, 25.5)]


def pans(seed: int) -> list[Pan]:
    """Wide, slow shots of other plays each: in one stadium, and some of their paths again there and in others."""
    shots = [Pan(1, seed + n, seed + n, seconds=4 + n % 6) for n in range(PANS)]
    again = range(seed, seed + PANS // 6)
    shots += [Pan(1, path, path + 1000, seconds=5 + path % 4) for path in again]
    return shots + [Pan(2 + path % 3, path, path + 2000, seconds=5 + path % 4) for path in again]


def real(videos: Path) -> Iterator[Source]:
    for path in sorted(videos.iterdir()):
        length = seconds(path)
        if length < SHORTEST:
            continue
        count = min(MOST_MOMENTS, max(1, int(length / MOMENT)))
        each = min(12.0, length / count)
        for number in range(count):
            start = number * length / count
            yield Source(f"{path.stem} {number}", path.stem, path, start, start + each - GAP, changed=number == 0)


def halves(videos: Path) -> Iterator[Source]:
    """Both halves of each video that is too short for several moments: people talking, mostly."""
    for path in sorted(videos.iterdir()):
        length = seconds(path)
        if SHORTEST <= length < 2 * MOMENT:
            yield Source(f"{path.stem} begins", path.stem, path, 0, length / 2)
            yield Source(f"{path.stem} ends", path.stem, path, length / 2)


def long_real(videos: Path) -> Iterator[Source]:
    for path in sorted(videos.iterdir()):
        if seconds(path) >= LONG:
            yield Source(f"{path.stem} long", path.stem, path, 0, 60.0)
