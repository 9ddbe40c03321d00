"""Motion per grid point: a ternary vector of 16 × 9 cells, and its energy."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from found_footy.fingerprint.picture_area import CropBox

MOTION_VERSION = "motion:0.125"
COLUMNS, ROWS = 16, 9
CELLS = COLUMNS * ROWS
PLANE_BYTES = CELLS // 8
MOTION_REACH_POINTS = 2  # grid points on either side whose difference is the motion: half a second in all
NOISE_LEVEL = 0.5  # gray levels; less is compression
MIN_RELATIVE_CHANGE = 0.6  # of the frame's own energy; less is background
ENERGY_SCALE = 16
CHUNK_PICTURES = 64


class ViewRole(IntEnum):
    """The purpose of a view. The numbers are stored."""

    WHOLE = 0  # all of the picture
    CLOSER = 1  # zoomed in: matches a copy that was cropped a little
    CLOSEST = 2
    GUESS = 3  # another possible box of the picture
    TALL = 4  # the middle of a wide picture: matches a copy cropped to 9:16
    SQUARE = 5  # the same, cropped to a square


ZOOM_BY_ROLE = {ViewRole.WHOLE: 1.0, ViewRole.CLOSER: 0.96, ViewRole.CLOSEST: 0.92}
NARROW_ASPECT_BY_ROLE = {ViewRole.TALL: 9 / 16, ViewRole.SQUARE: 1.0}
MIN_WIDE_ASPECT = 1.3  # width divided by height of the picture


@dataclass(frozen=True, eq=False)
class MotionView:
    """The motion within one box: bit planes of what got brighter and darker, and the energy, per grid point."""

    role: ViewRole
    brighter: NDArray[np.uint8]  # (n, PLANE_BYTES)
    darker: NDArray[np.uint8]  # (n, PLANE_BYTES)
    energy: NDArray[np.uint8]  # (n,), in 1 / ENERGY_SCALE gray levels

    def __len__(self) -> int:
        return len(self.energy)

    def ternary_vectors(self) -> NDArray[np.float32]:
        up = np.unpackbits(self.brighter, axis=1, count=CELLS).astype(np.float32)
        return up - np.unpackbits(self.darker, axis=1, count=CELLS)


def compute_cell_weights(start: float, end: float, cells: int, side: int) -> NDArray[np.float32]:
    """The share of each cell that every thumbnail line makes up: averaging by area is one matrix product."""
    bounds = np.linspace(start, end, cells + 1)
    lines = np.arange(side)
    covered = np.minimum(bounds[1:, None], lines + 1) - np.maximum(bounds[:-1, None], lines)
    share: NDArray[np.float32] = (np.maximum(covered, 0) * cells / (end - start)).astype(np.float32)
    return share


def average_cells(pictures: NDArray[np.uint8], box: CropBox, rows: int, columns: int) -> NDArray[np.float32]:
    down = compute_cell_weights(box.top, box.bottom, rows, pictures.shape[1])
    across = compute_cell_weights(box.left, box.right, columns, pictures.shape[2]).T
    out = np.empty((len(pictures), rows, columns), np.float32)
    for i in range(0, len(pictures), CHUNK_PICTURES):
        out[i : i + CHUNK_PICTURES] = down @ (pictures[i : i + CHUNK_PICTURES].astype(np.float32) @ across)
    return out


def compute_views(
    pictures: NDArray[np.uint8], active: CropBox, guesses: list[CropBox], aspect: float
) -> tuple[MotionView, ...]:
    """`aspect` is that of the active picture."""
    boxes = [(role, active.zoom(share)) for role, share in ZOOM_BY_ROLE.items()]
    boxes += [(ViewRole.GUESS, guess) for guess in guesses]
    if aspect >= MIN_WIDE_ASPECT:
        boxes += [(role, active.narrow(narrow / aspect)) for role, narrow in NARROW_ASPECT_BY_ROLE.items()]
    return tuple(compute_view(pictures, role, box) for role, box in boxes)


def compute_view(pictures: NDArray[np.uint8], role: ViewRole, box: CropBox) -> MotionView:
    cells = average_cells(pictures, box, ROWS, COLUMNS).reshape(len(pictures), CELLS)
    change = (
        cells[2 * MOTION_REACH_POINTS :] - cells[: -2 * MOTION_REACH_POINTS]
        if len(cells) > 2 * MOTION_REACH_POINTS
        else cells[:0]
    )
    change = change - change.mean(axis=1, keepdims=True)
    energy = np.sqrt((change**2).mean(axis=1))
    floor = np.maximum(MIN_RELATIVE_CHANGE * energy, NOISE_LEVEL)[:, None]
    return MotionView(
        role,
        np.packbits(change > floor, axis=1),
        np.packbits(change < -floor, axis=1),
        np.minimum(np.round(energy * ENERGY_SCALE), 255).astype(np.uint8),
    )
