"""Small moving scenes made of numbers: a textured ground under a panning camera, with figures running over it.

A film is a stack of gray pictures (time, height, width) with its frame rate. Nothing here knows the fingerprint.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import av
import numpy as np
from av.video.stream import VideoStream
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

Pictures = NDArray[np.uint8]
WIDTH, HEIGHT, FPS = 160, 90, 25


@dataclass(frozen=True)
class Film:
    pictures: Pictures
    fps: float = FPS

    @property
    def seconds(self) -> float:
        return len(self.pictures) / self.fps

    def but(self, pictures: NDArray[Any]) -> "Film":
        whole = pictures if pictures.dtype == np.uint8 else np.clip(pictures, 0, 255).astype(np.uint8)
        return replace(self, pictures=whole)


def ground(rng: np.random.Generator, height: int, width: int, *, contrast: float = 1.0) -> NDArray[np.float32]:
    """Blobs of several sizes: like a crowd above, like mown grass below."""
    out = np.zeros((height, width), np.float32)
    for cell, weight in ((6, 26.0), (16, 34.0), (48, 40.0)):
        noise = rng.normal(0, 1, (height // cell + 2, width // cell + 2)).astype(np.float32)
        big = Image.fromarray(noise).resize((width, height), Image.Resampling.BICUBIC)
        out += weight * contrast * np.asarray(big, np.float32)
    horizon = height * 2 // 5
    out[horizon:] *= 0.45
    return out + 110


def wander(rng: np.random.Generator, count: int, fps: float, speed: float) -> NDArray[np.float64]:
    """A smooth path: a few slow waves of random phase, travelled at about `speed` pixels a second."""
    t = np.arange(count) / fps
    path = np.zeros(count)
    for period in (1.7, 3.9, 9.0):
        path += speed * period / 6 * np.sin(2 * np.pi * (t / (period * rng.uniform(0.8, 1.2)) + rng.uniform()))
    start: NDArray[np.float64] = path - path.min()
    return start


def _window(world: NDArray[np.float32], y: float, x: float, height: int, width: int) -> NDArray[np.float32]:
    iy, ix = int(y), int(x)
    fy, fx = y - iy, x - ix
    block = world[iy : iy + height + 1, ix : ix + width + 1]
    rows = block[:-1] * (1 - fy) + block[1:] * fy
    return np.asarray(rows[:, :-1] * (1 - fx) + rows[:, 1:] * fx, np.float32)


@dataclass(frozen=True)
class Scene:
    """The same `place` with another `moment` is another piece of play on the same ground."""

    place: int
    moment: int = 0
    seconds: float = 6.0
    width: int = WIDTH
    height: int = HEIGHT
    fps: float = FPS
    pan: float = 0.22
    figures: int = 9
    contrast: float = 1.0

    def film(self) -> Film:
        return _film_of(self)

    def shoot(self) -> Pictures:
        count = round(self.seconds * self.fps)
        unit = self.width
        moves = np.random.default_rng([self.place, 7, self.moment])
        pan_x = wander(moves, count, self.fps, self.pan * unit)
        pan_y = wander(moves, count, self.fps, self.pan * unit / 8)
        paths = [
            (
                wander(moves, count, self.fps, 0.3 * unit) + moves.uniform(0, unit),
                moves.uniform(0.3, 0.95),
                moves.uniform(0.02, 0.06),
            )
            for _ in range(self.figures)
        ]
        shades = moves.choice([10.0, 40.0, 200.0, 245.0], self.figures)
        margin = int(max(pan_x.max(), pan_y.max())) + 2
        world = ground(
            np.random.default_rng([self.place, 3]),
            self.height + margin,
            self.width * 3 + margin,
            contrast=self.contrast,
        )
        out = np.empty((count, self.height, self.width), np.uint8)
        start = float(moves.uniform(0, max(1.0, world.shape[1] - self.width - pan_x.max() - 2)))
        for i in range(count):
            picture = _window(world, pan_y[i], start + pan_x[i], self.height, self.width)
            for (path, depth, size), shade in zip(paths, shades, strict=True):
                self._figure(picture, path[i] - pan_x[i], depth, size, shade)
            out[i] = np.clip(picture, 0, 255)
        return out

    def _figure(self, picture: NDArray[np.float32], x: float, depth: float, size: float, shade: float) -> None:
        wide = max(2, int(size * self.width * depth))
        tall = int(wide * 2.4)
        top, left = int(depth * self.height - tall / 2), int(x % (self.width + wide)) - wide
        picture[max(0, top) : max(0, top + tall), max(0, left) : max(0, left + wide)] = shade


@lru_cache(maxsize=16)
def _film_of(scene: Scene) -> Film:
    return Film(scene.shoot(), scene.fps)


FAST: dict[str, dict[str, str]] = {
    "libx264": {"preset": "ultrafast", "bf": "3", "threads": "1"},
    "libx265": {"preset": "ultrafast", "x265-params": "log-level=none:pools=none:frame-threads=1"},
    "libvpx-vp9": {"deadline": "realtime", "cpu-used": "8", "b": "400k"},
    "libsvtav1": {"preset": "12", "svtav1-params": "lp=1"},
}


def write(
    film: Film,
    path: Path,
    *,
    crf: int = 23,
    codec: str = "libx264",
    options: Mapping[str, str] = MappingProxyType({}),
    times: Sequence[int] | None = None,
    container: Mapping[str, str] = MappingProxyType({}),
) -> Path:
    """`times` are those of the frames, counted in frames; evenly spaced if not given. `container` is the muxer's."""
    height, width = (n - n % 2 for n in film.pictures.shape[1:])
    rate = Fraction(film.fps).limit_denominator(1001)
    chosen = {**FAST.get(codec, {}), **({"crf": str(crf)} if codec == "libx264" else {}), **options}
    with av.open(str(path), "w", container_options=dict(container)) as out:
        stream = cast(VideoStream, out.add_stream(codec, rate=rate, options=chosen))
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for at, picture in zip(times or range(len(film.pictures)), film.pictures, strict=True):
            out.mux(stream.encode(_luma(picture[:height, :width], at, rate)))
        out.mux(stream.encode())
    return path


def _luma(picture: Pictures, at: int, rate: Fraction) -> av.VideoFrame:
    height, width = picture.shape
    chroma = np.full((height // 2, width), 128, np.uint8)
    limited = (16 + picture.astype(np.uint16) * 219 // 255).astype(np.uint8)
    frame = av.VideoFrame.from_ndarray(np.concatenate([limited, chroma]), format="yuv420p")
    frame.pts, frame.time_base = at, 1 / rate
    return frame


def resized(film: Film, width: int, height: int) -> Film:
    size = (width, height)
    return film.but(
        np.stack([np.asarray(Image.fromarray(p).resize(size, Image.Resampling.BOX)) for p in film.pictures])
    )


def trimmed(film: Film, start: float, end: float) -> Film:
    return film.but(film.pictures[round(start * film.fps) : round(end * film.fps)])


def at_rate(film: Film, fps: float) -> Film:
    times = np.arange(int(film.seconds * fps)) / fps
    return Film(film.pictures[np.minimum((times * film.fps).astype(int), len(film.pictures) - 1)], fps)


def sped(film: Film, factor: float) -> Film:
    return replace(at_rate(replace(film, fps=film.fps * factor), film.fps), fps=film.fps)


def levels(film: Film, curve: NDArray[np.floating]) -> Film:
    """Each of the 256 levels of gray replaced by another."""
    return film.but(np.clip(curve, 0, 255).astype(np.uint8)[film.pictures])


def gamma(film: Film, power: float) -> Film:
    return levels(film, 255 * (np.arange(256) / 255) ** power)


def cropped(film: Film, share: float) -> Film:
    _, height, width = film.pictures.shape
    y, x = round(height * share / 2), round(width * share / 2)
    return resized(film.but(film.pictures[:, y : height - y, x : width - x]), width, height)


def cut_to(film: Film, aspect: float) -> Film:
    """Only the middle of the picture, in another shape."""
    _, height, width = film.pictures.shape
    side = (width - round(height * aspect)) // 2
    return film.but(film.pictures[:, :, side : width - side])


def mirrored(film: Film) -> Film:
    return film.but(film.pictures[:, :, ::-1])


def on_canvas(film: Film, canvas: Pictures | NDArray[np.float32], top: int, left: int) -> Film:
    """`canvas` is one picture, or one per frame."""
    count, height, width = film.pictures.shape
    out = np.array(np.broadcast_to(canvas, (count, *canvas.shape[-2:])))
    out[:, top : top + height, left : left + width] = film.pictures
    return film.but(out)


def letterboxed(film: Film, share: float = 0.25) -> Film:
    _, height, width = film.pictures.shape
    inner = resized(film, width, round(height * (1 - share)))
    return on_canvas(inner, np.zeros((height, width), np.uint8), (height - inner.pictures.shape[1]) // 2, 0)


def _tall(film: Film) -> tuple[Film, int, int]:
    _, height, width = film.pictures.shape
    tall = width * 16 // 9
    return film, tall, (tall - height) // 2


def upright(film: Film) -> Film:
    """9:16 with black above and below."""
    film, tall, top = _tall(film)
    return on_canvas(film, np.zeros((tall, film.pictures.shape[2]), np.uint8), top, 0)


def upright_blurred(film: Film) -> Film:
    """9:16 with a blurred enlargement of the picture itself above and below."""
    film, tall, top = _tall(film)
    _, height, width = film.pictures.shape
    inner = film.pictures[:, :, width // 2 - height * 9 // 32 : width // 2 + height * 9 // 32]
    small, blur = (width // 4, tall // 4), ImageFilter.GaussianBlur(width / 64)
    blurred = (Image.fromarray(p).resize(small, Image.Resampling.BOX).filter(blur) for p in inner)
    fill = np.stack([np.asarray(image.resize((width, tall), Image.Resampling.BILINEAR)) for image in blurred])
    return on_canvas(film, fill, top, 0)


def bannered(film: Film, share: float = 0.45, seed: int = 1) -> Film:
    """A fan page's template: a still banner over the upper part, the video below it."""
    _, height, width = film.pictures.shape
    tall = round(height / (1 - share))
    canvas = card(f"GOAL {seed}", width, tall, seed)
    return on_canvas(film, canvas, tall - height, 0)


def inset(film: Film, share: float = 0.3, seed: int = 5) -> Film:
    """A still picture in a corner."""
    _, height, width = film.pictures.shape
    h, w = round(height * share), round(width * share)
    out = film.pictures.copy()
    out[:, -h - 4 : -4, -w - 4 : -4] = card("CAM", w, h, seed)
    return film.but(out)


def captioned(film: Film, text: str = "WHAT A GOAL") -> Film:
    _, height, width = film.pictures.shape
    mask = Image.new("L", (width, height), 0)
    draw = ImageDraw.Draw(mask)
    draw.text((width // 12, height // 10), text, fill=255, font_size=max(10, height // 8))
    draw.rectangle((4, height - 14, width // 4, height - 5), fill=255)
    return film.but(np.where(np.asarray(mask) > 128, 235, film.pictures))


def card(text: str, width: int = WIDTH, height: int = HEIGHT, seed: int = 0) -> Pictures:
    image = Image.fromarray(
        ground(np.random.default_rng([seed, 11]), height, width, contrast=0.5).clip(0, 255).astype(np.uint8)
    )
    ImageDraw.Draw(image).text((width // 8, height // 3), text, fill=250, font_size=max(10, height // 6))
    return np.asarray(image)


def still(picture: Pictures, seconds: float, fps: float = FPS) -> Film:
    return Film(np.repeat(picture[None], round(seconds * fps), axis=0), fps)


def black(seconds: float) -> Film:
    return still(np.full((HEIGHT, WIDTH), 4, np.uint8), seconds)


def joined(*films: Film) -> Film:
    return films[0].but(np.concatenate([f.pictures for f in films]))


def faded_in(film: Film, seconds: float = 1.5) -> Film:
    level = np.minimum(1.0, np.arange(len(film.pictures)) / (seconds * film.fps))
    return film.but(film.pictures * level[:, None, None])


def wiped(film: Film, at: float, seconds: float = 0.8, seed: int = 99) -> Film:
    """A broadcaster's animated logo flies across the picture, the same one every time."""
    out = film.pictures.copy()
    _, height, width = out.shape
    logo = card("REPLAY", width, height, seed)
    first, count = round(at * film.fps), round(seconds * film.fps)
    for i in range(min(count, len(out) - first)):
        edge = round(width * (2 * (i + 1) / count))
        left, right = max(0, edge - width), min(width, edge)
        out[first + i, :, left:right] = logo[:, left:right]
    return film.but(out)
