"""A phone in front of a television: the set and its frame, a dim room, glare, moiré, and hand shake."""

from collections.abc import Callable
from dataclasses import dataclass
from math import pi, sin

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

PictureSize = tuple[int, int]
Quad = tuple[float, float, float, float, float, float, float, float]


@dataclass(frozen=True)
class HandMotion:
    """How the phone is held: its viewpoint, and the sway and tremor of the arm, in shares of the picture."""

    tilt: tuple[float, ...]
    zoom: float
    turn: float
    sway: float
    tremor: float
    rates: tuple[float, ...]
    phases: tuple[float, ...]

    def shift_at(self, axis: int, seconds: float) -> float:
        slow = sin(self.rates[axis] * seconds + self.phases[axis]) + 0.5 * sin(2.3 * self.rates[axis] * seconds)
        quick = sin(9.1 * seconds * (1 + 0.2 * axis) + self.phases[axis]) + 0.6 * sin(15.7 * seconds + axis)
        return self.sway * slow + self.tremor * quick


def generate_hand_motion(seed: int) -> HandMotion:
    dice = np.random.default_rng([seed, 2024])
    return HandMotion(
        tilt=tuple(dice.uniform(-0.05, 0.05, 4).tolist()),
        zoom=float(dice.uniform(0.84, 1.12)),
        turn=float(dice.uniform(-0.035, 0.035)),
        sway=float(dice.uniform(0.008, 0.018)),
        tremor=float(dice.uniform(0.0016, 0.004)),
        rates=tuple(dice.uniform(1.1, 2.6, 3).tolist()),
        phases=tuple(dice.uniform(0, 2 * pi, 3).tolist()),
    )


@dataclass(frozen=True)
class PhoneCapture:
    """`screen_size` is the size of the television's picture; `capture_frame` turns that picture and the frame's number
    into a filmed frame.
    """

    screen_size: PictureSize
    capture_frame: Callable[[Image.Image, int], Image.Image]


def build_phone_capture(size: PictureSize, seed: int, fps: float) -> PhoneCapture:
    """Build the capture for a phone's picture size."""
    room, screen, corner = _draw_room(size, seed)
    held, lattice = generate_hand_motion(seed), _draw_moire(size, seed)
    glare = _draw_glare(size, seed)
    fade = [round(18 + value * 0.80) for value in range(256)] * 3

    def shot(image: Image.Image, number: int) -> Image.Image:
        seen = room.copy()
        seen.paste(image.point(fade), corner)
        picture = seen.transform(
            size, Image.Transform.QUAD, _view_corners(held, room.size, size, number / fps), _RESAMPLING
        )
        drift = number * 3 % lattice.height - lattice.height // 2, number % 7
        picture = ImageChops.multiply(picture, ImageChops.offset(lattice, drift[1], drift[0]))
        return ImageChops.screen(picture, glare)

    return PhoneCapture(screen, shot)


_RESAMPLING = Image.Resampling.BILINEAR


def _draw_room(size: PictureSize, seed: int) -> tuple[Image.Image, PictureSize, tuple[int, int]]:
    """The wall with the television, larger than the visible part; the size of the television's picture and its
    position.
    """
    dice = np.random.default_rng([seed, 7])
    width, height = round(size[0] * 1.3), round(size[1] * 1.3)
    tone = dice.integers(14, 70, 3)
    wall = Image.linear_gradient("L").resize((width, height))
    room = Image.merge("RGB", [wall.point(lambda v, t=int(t): round(t * (0.6 + v / 500))) for t in tone])
    draw = ImageDraw.Draw(room)
    draw.rectangle((0, height * 0.86, width, height), fill=tuple(int(t) // 2 for t in tone))
    draw.rectangle((width * 0.02, height * 0.2, width * 0.08, height * 0.7), fill=(60, 50, 44))
    room = room.filter(ImageFilter.GaussianBlur(height / 160))
    inner = size[0], round(size[0] * 9 / 16) if size[1] > size[0] else size[1]
    corner = (width - inner[0]) // 2, (height - inner[1]) // 2
    edge = max(4, inner[1] // 40)
    frame = corner[0] - edge, corner[1] - edge, corner[0] + inner[0] + edge, corner[1] + inner[1] + edge
    ImageDraw.Draw(room).rectangle(frame, fill=(7, 7, 8), outline=(40, 40, 42))
    return room, inner, corner


def _view_corners(held: HandMotion, room: PictureSize, size: PictureSize, seconds: float) -> Quad:
    """The corners of the phone's view in the room: upper left, lower left, lower right, upper right."""
    half = size[0] / 2 / held.zoom, size[1] / 2 / held.zoom
    middle = room[0] / 2 + held.shift_at(0, seconds) * size[0], room[1] / 2 + held.shift_at(1, seconds) * size[1]
    turn = held.turn + held.shift_at(2, seconds) * 0.6
    corners = []
    for number, (across, down) in enumerate(((-1, -1), (-1, 1), (1, 1), (1, -1))):
        stretch = 1 + held.tilt[number]
        x, y = across * half[0] * stretch, down * half[1] * stretch
        corners += [middle[0] + x - y * turn, middle[1] + y + x * turn]
    return (*corners,)  # type: ignore[return-value]


def _draw_moire(size: PictureSize, seed: int) -> Image.Image:
    """The interference of the set's pixels with the phone's: faint slanted waves, and a slow dark band."""
    dice = np.random.default_rng([seed, 11])
    y, x = np.mgrid[0 : size[1], 0 : size[0]].astype(np.float32)
    pitch, slant = dice.uniform(4.0, 9.0), dice.uniform(-0.6, 0.6)
    waves = np.sin((y + x * slant) * 2 * np.pi / pitch) * np.sin((x - y * 0.2) * 2 * np.pi / (pitch * 7))
    band = np.sin(y / size[1] * 2 * np.pi)
    level = 232 + 16 * waves + 6 * band
    gray = Image.fromarray(level.clip(0, 255).astype(np.uint8))
    return Image.merge("RGB", (gray, gray, gray))


def _draw_glare(size: PictureSize, seed: int) -> Image.Image:
    """A lamp that the glass reflects."""
    dice = np.random.default_rng([seed, 13])
    small = Image.new("RGB", (64, 36))
    x, y = float(dice.uniform(8, 56)), float(dice.uniform(6, 30))
    tone = int(dice.integers(60, 150))
    ImageDraw.Draw(small).ellipse((x - 7, y - 4, x + 7, y + 4), fill=(tone, tone, round(tone * 0.85)))
    return small.filter(ImageFilter.GaussianBlur(4)).resize(size, Image.Resampling.BICUBIC)
