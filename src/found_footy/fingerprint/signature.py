"""What moves where: a ternary vector of 16 × 9 cells per grid point, and how much it moved."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from found_footy.fingerprint.picture import Box

MOTION_VERSION = "motion:0.125"
COLUMNS, ROWS = 16, 9
CELLS = COLUMNS * ROWS
PLANE_BYTES = CELLS // 8
REACH = 2  # grid points on either side whose difference is the motion: half a second in all
NOISE = 0.5  # gray levels; less is compression
RELATIVE = 0.6  # of the frame's own energy; less is background
ENERGY_SCALE = 16
CHUNK = 64


class Role(IntEnum):
    """What a view is for. The numbers are stored."""

    WHOLE = 0  # all of the picture
    CLOSER = 1  # zoomed in: matches a copy that was cropped a little
    CLOSEST = 2
    GUESS = 3  # another idea of where the picture is
    TALL = 4  # the middle of a wide picture: matches a copy cut to 9:16
    SQUARE = 5  # or to a square


ZOOMS = {Role.WHOLE: 1.0, Role.CLOSER: 0.96, Role.CLOSEST: 0.92}
NARROW = {Role.TALL: 9 / 16, Role.SQUARE: 1.0}
WIDE_FROM = 1.3  # width by height of the picture


@dataclass(frozen=True, eq=False)
class View:
    """The motion seen through one box: bit planes of what got brighter and darker, and the energy, per grid point."""

    role: Role
    brighter: NDArray[np.uint8]  # (n, PLANE_BYTES)
    darker: NDArray[np.uint8]  # (n, PLANE_BYTES)
    energy: NDArray[np.uint8]  # (n,), in 1 / ENERGY_SCALE gray levels

    def __len__(self) -> int:
        return len(self.energy)

    def ternary(self) -> NDArray[np.float32]:
        up = np.unpackbits(self.brighter, axis=1, count=CELLS).astype(np.float32)
        return up - np.unpackbits(self.darker, axis=1, count=CELLS)


def shares(start: float, end: float, cells: int, side: int) -> NDArray[np.float32]:
    """Which share of each cell every thumbnail line makes up: averaging by area is one matrix product."""
    bounds = np.linspace(start, end, cells + 1)
    lines = np.arange(side)
    covered = np.minimum(bounds[1:, None], lines + 1) - np.maximum(bounds[:-1, None], lines)
    share: NDArray[np.float32] = (np.maximum(covered, 0) * cells / (end - start)).astype(np.float32)
    return share


def grids(pictures: NDArray[np.uint8], box: Box, rows: int, columns: int) -> NDArray[np.float32]:
    down = shares(box.top, box.bottom, rows, pictures.shape[1])
    across = shares(box.left, box.right, columns, pictures.shape[2]).T
    out = np.empty((len(pictures), rows, columns), np.float32)
    for i in range(0, len(pictures), CHUNK):
        out[i : i + CHUNK] = down @ (pictures[i : i + CHUNK].astype(np.float32) @ across)
    return out


def views(pictures: NDArray[np.uint8], active: Box, guesses: list[Box], aspect: float) -> tuple[View, ...]:
    """`aspect` is that of the active picture."""
    boxes = [(role, active.zoomed(share)) for role, share in ZOOMS.items()]
    boxes += [(Role.GUESS, guess) for guess in guesses]
    if aspect >= WIDE_FROM:
        boxes += [(role, active.narrowed(narrow / aspect)) for role, narrow in NARROW.items()]
    return tuple(view(pictures, role, box) for role, box in boxes)


def view(pictures: NDArray[np.uint8], role: Role, box: Box) -> View:
    cells = grids(pictures, box, ROWS, COLUMNS).reshape(len(pictures), CELLS)
    change = cells[2 * REACH :] - cells[: -2 * REACH] if len(cells) > 2 * REACH else cells[:0]
    change = change - change.mean(axis=1, keepdims=True)
    energy = np.sqrt((change**2).mean(axis=1))
    floor = np.maximum(RELATIVE * energy, NOISE)[:, None]
    return View(
        role,
        np.packbits(change > floor, axis=1),
        np.packbits(change < -floor, axis=1),
        np.minimum(np.round(energy * ENERGY_SCALE), 255).astype(np.uint8),
    )
