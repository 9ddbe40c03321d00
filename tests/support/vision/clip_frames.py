"""Clips of the media factory as the frames that a reader gets."""

from pathlib import Path

import av
import cv2
import numpy as np

from found_footy.vision.frames import ClipFrames, Frame, NeighbourFrames
from found_footy_sim.media.clip_library import render_clip
from found_footy_sim.media.clip_spec import ClipChange, ClipScene, SceneKind, TeamKit

HOME, AWAY = TeamKit("LIV", "#c8102e", "#c8102e"), TeamKit("ARS", "#ffffff", "#101820")
_SMALL = 640, 360
_MOST_SMALL, _STEP = 8, 0.35
_BESIDE = 2.0


def goal(design: str = "bar", *, clock: int = 2052, regular: int = 45, width: int = 854, seed: int = 41) -> ClipScene:
    """Few frames, because drawing them takes longest: three a second are what the tests look at."""
    height = round(width * 9 / 32) * 2
    return ClipScene(
        SceneKind.GOAL,
        HOME,
        AWAY,
        clock=clock,
        regular=regular,
        design=design,
        seed=seed,
        width=width,
        height=height,
        duration=4.0,
        fps=3,
    )


def studio() -> ClipScene:
    return ClipScene(SceneKind.STUDIO, HOME, AWAY, width=854, height=480, duration=4.0, fps=3)


def clip_of(folder: Path, scene: ClipScene, *changes: ClipChange) -> ClipFrames:
    """The scene as a file with its losses, decoded."""
    return frames_of(render_clip(scene, changes, folder))


def frames_of(file: Path) -> ClipFrames:
    with av.open(str(file)) as container:
        decoded = [
            Frame(float(f.time or 0), np.asarray(f.to_ndarray(format="rgb24"), np.uint8))
            for f in container.decode(video=0)
        ]
    quarter, half, most = (decoded[len(decoded) * part // 4] for part in (1, 2, 3))

    async def beside(at: float) -> NeighbourFrames:
        target = at + _BESIDE if at + _BESIDE < decoded[-1].at else max(0.0, at - _BESIDE)
        first, last = sorted((at, target))
        way = tuple(_small(frame) for frame in decoded if first <= frame.at <= last)
        return NeighbourFrames(min(decoded, key=lambda frame: abs(frame.at - target)), way)

    return ClipFrames((quarter, most), half, tuple(_small(frame) for frame in _spread(decoded)), load_neighbour=beside)


def _spread(frames: list[Frame]) -> list[Frame]:
    """Up to eight frames about 0.35 s apart, around the middle."""
    middle = frames[len(frames) // 2].at
    wanted = [middle + (index - _MOST_SMALL / 2) * _STEP for index in range(_MOST_SMALL)]
    nearest = {min(range(len(frames)), key=lambda i: abs(frames[i].at - at)) for at in wanted}
    return [frames[index] for index in sorted(nearest)]


def _small(frame: Frame) -> Frame:
    return Frame(frame.at, np.asarray(cv2.resize(frame.pixels, _SMALL, interpolation=cv2.INTER_AREA), np.uint8))
