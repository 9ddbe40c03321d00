"""Clips in which nothing moves are compared by what they show: steps in brightness from cell to cell."""

import numpy as np
from numpy.typing import NDArray

from found_footy.fingerprint.picture import Box
from found_footy.fingerprint.signature import grids

ROWS, COLUMNS = 16, 16
PLANE_BYTES = ROWS * COLUMNS // 8
FRAME_BYTES = 2 * PLANE_BYTES
DEAD_ZONE = 2.0  # gray levels
EVERY = 4  # grid points: two frames a second
MOST = 64  # frames; more of a still clip tell nothing new
MAX_DISTANCE = 0.06
ENOUGH = 0.8  # share of frames
FEWEST_STEPS = 24  # a frame with fewer is blank and like every other blank one

Frames = NDArray[np.uint8]  # (n, FRAME_BYTES): rising steps, then falling ones


def still_frames(pictures: NDArray[np.uint8], box: Box) -> Frames:
    every = max(EVERY, -(-len(pictures) // MOST))
    cells = grids(pictures[::every], box, ROWS, COLUMNS + 1)
    steps = np.diff(cells, axis=2).reshape(len(cells), ROWS * COLUMNS)
    return np.hstack([np.packbits(steps > DEAD_ZONE, axis=1), np.packbits(steps < -DEAD_ZONE, axis=1)])


def mirrored(frames: Frames) -> Frames:
    """Seen in a mirror, the order of the cells turns round and what rose falls."""
    bits = np.unpackbits(frames, axis=1).reshape(len(frames), 2, ROWS, COLUMNS)[:, ::-1, :, ::-1]
    return np.packbits(bits.reshape(len(frames), 2 * ROWS * COLUMNS), axis=1)


def same_picture(a: Frames, b: Frames) -> float:
    """Share of the shorter clip's frames that the other one shows too; blank frames are shown by none."""
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if not len(short):
        return 0.0
    shared = np.bitwise_count(short[:, None] & long[None]).sum(axis=2, dtype=np.int64)
    either = np.bitwise_count(short[:, None] | long[None]).sum(axis=2, dtype=np.int64)
    near = (either - shared <= MAX_DISTANCE * either) & (either >= FEWEST_STEPS)
    return float(near.any(axis=1).mean())
