"""Clips in which nothing moves are compared by what they show: steps in brightness from cell to cell.

Two cards of one design that say different things differ in one place only. So it is not the share of steps that differ
that counts, but how many do within a small window: an encoder's errors are scattered, another digit is not.
"""

import numpy as np
from numpy.typing import NDArray

from found_footy.fingerprint.picture import Box
from found_footy.fingerprint.signature import grids

CELLS = 32  # on either side
FRAME_BYTES = CELLS * CELLS
EVERY = 8  # grid points: one frame a second
MOST = 16  # frames; more of a still clip tell nothing new
PLAIN = 8.0  # gray levels; a step of less may be an encoder's
LIKE = 0.3  # the smaller of two like steps by the larger: brightness and contrast may differ
WINDOW = 5  # cells
MOST_UNLIKE = 2  # steps within a window
ENOUGH = 0.8  # share of frames
FEWEST_STEPS = 24  # a frame with fewer is blank and like every other blank one

Frames = NDArray[np.uint8]  # (n, FRAME_BYTES): gray cells


def still_frames(pictures: NDArray[np.uint8], box: Box) -> Frames:
    every = max(EVERY, -(-len(pictures) // MOST))
    cells = grids(pictures[::every], box, CELLS, CELLS)
    return np.round(cells).clip(0, 255).astype(np.uint8).reshape(len(cells), FRAME_BYTES)


def mirrored(frames: Frames) -> Frames:
    return np.ascontiguousarray(frames.reshape(-1, CELLS, CELLS)[:, :, ::-1]).reshape(len(frames), FRAME_BYTES)


def same_picture(a: Frames, b: Frames) -> float:
    """Share of the shorter clip's frames that the other one shows too; blank frames are shown by none."""
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if not len(short):
        return 0.0
    ours, theirs = _steps(short), _steps(long)
    return float(np.mean([any(_alike(one, other) for other in theirs) for one in ours]))


def _steps(frames: Frames) -> NDArray[np.float32]:
    """Per frame: steps to the right, then downwards."""
    cells = frames.reshape(-1, CELLS, CELLS).astype(np.float32)
    right, down = np.diff(cells, axis=2, append=cells[:, :, -1:]), np.diff(cells, axis=1, append=cells[:, -1:])
    return np.stack([right, down], axis=1)


def _alike(one: NDArray[np.float32], other: NDArray[np.float32]) -> bool:
    larger = np.maximum(np.abs(one), np.abs(other))
    plain = larger >= PLAIN
    if plain.sum() < FEWEST_STEPS:
        return False
    unlike = plain & (one * other < LIKE * larger**2)
    sums = np.cumsum(np.cumsum(np.pad(unlike.sum(axis=0), ((1, 0), (1, 0))), axis=0), axis=1)
    windows = sums[WINDOW:, WINDOW:] - sums[:-WINDOW, WINDOW:] - sums[WINDOW:, :-WINDOW] + sums[:-WINDOW, :-WINDOW]
    return bool(windows.max() <= MOST_UNLIKE)
