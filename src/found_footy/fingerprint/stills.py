"""Compares clips without motion by what they show: steps in brightness from cell to cell.

Two cards of one design with different texts differ in one place only. So what counts is not the share of differing
steps but how many differ within a small window: an encoder's errors are scattered, another digit is not.
"""

import numpy as np
from numpy.typing import NDArray

from found_footy.fingerprint.motion_signature import average_cells
from found_footy.fingerprint.picture_area import CropBox

STILL_GRID_SIDE = 32  # on either side
STILL_FRAME_BYTES = STILL_GRID_SIDE * STILL_GRID_SIDE
MIN_SAMPLE_INTERVAL_POINTS = 8  # grid points: one frame a second
MAX_STILL_FRAMES = 16  # frames; more of a still clip add no information
MIN_STEP_LEVELS = 8.0  # gray levels; a smaller step may be an encoder's
MIN_STEP_RATIO = 0.3  # the smaller of two like steps divided by the larger: brightness and contrast may differ
WINDOW_CELLS = 5  # cells
MAX_UNLIKE_STEPS = 2  # steps within a window
MIN_SHARED_FRAMES = 0.8  # share of frames
MIN_FRAME_STEPS = 24  # a frame with fewer is blank and resembles every other blank one

StillFrames = NDArray[np.uint8]  # (n, FRAME_BYTES): gray cells


def extract_still_frames(pictures: NDArray[np.uint8], box: CropBox) -> StillFrames:
    every = max(MIN_SAMPLE_INTERVAL_POINTS, -(-len(pictures) // MAX_STILL_FRAMES))
    cells = average_cells(pictures[::every], box, STILL_GRID_SIDE, STILL_GRID_SIDE)
    return np.round(cells).clip(0, 255).astype(np.uint8).reshape(len(cells), STILL_FRAME_BYTES)


def mirror_frames(frames: StillFrames) -> StillFrames:
    return np.ascontiguousarray(frames.reshape(-1, STILL_GRID_SIDE, STILL_GRID_SIDE)[:, :, ::-1]).reshape(
        len(frames), STILL_FRAME_BYTES
    )


def share_of_common_frames(a: StillFrames, b: StillFrames) -> float:
    """The share of the shorter clip's frames that the other one shows too; blank frames never match."""
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if not len(short):
        return 0.0
    ours, theirs = _brightness_steps(short), _brightness_steps(long)
    return float(np.mean([any(_is_same_picture(one, other) for other in theirs) for one in ours]))


def _brightness_steps(frames: StillFrames) -> NDArray[np.float32]:
    """Per frame: steps to the right, then downwards."""
    cells = frames.reshape(-1, STILL_GRID_SIDE, STILL_GRID_SIDE).astype(np.float32)
    right, down = np.diff(cells, axis=2, append=cells[:, :, -1:]), np.diff(cells, axis=1, append=cells[:, -1:])
    return np.stack([right, down], axis=1)


def _is_same_picture(one: NDArray[np.float32], other: NDArray[np.float32]) -> bool:
    larger = np.maximum(np.abs(one), np.abs(other))
    plain = larger >= MIN_STEP_LEVELS
    if plain.sum() < MIN_FRAME_STEPS:
        return False
    unlike = plain & (one * other < MIN_STEP_RATIO * larger**2)
    sums = np.cumsum(np.cumsum(np.pad(unlike.sum(axis=0), ((1, 0), (1, 0))), axis=0), axis=1)
    windows = (
        sums[WINDOW_CELLS:, WINDOW_CELLS:]
        - sums[:-WINDOW_CELLS, WINDOW_CELLS:]
        - sums[WINDOW_CELLS:, :-WINDOW_CELLS]
        + sums[:-WINDOW_CELLS, :-WINDOW_CELLS]
    )
    return bool(windows.max() <= MAX_UNLIKE_STEPS)
