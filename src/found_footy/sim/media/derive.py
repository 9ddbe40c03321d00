"""Making a file from another one, as people do before they post it: trim, shrink, mirror, frame, film off a screen."""

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import TypeVar

import av
from PIL import Image, ImageDraw, ImageOps

from found_footy.sim.media import encode
from found_footy.sim.media.faces import face, font
from found_footy.sim.media.filming import film
from found_footy.sim.media.framing import Setting, blurred, letterboxed, plain, upright, with_banner
from found_footy.sim.media.spec import Change

_T = TypeVar("_T")


def even(number: float) -> int:
    return max(2, round(number / 2) * 2)


def size_after(change: Change, size: tuple[int, int]) -> tuple[int, int]:
    """Width and height of the derived file."""
    width, height = change.width or size[0], change.height or size[1]
    return (even(height * 9 / 16), height) if change.portrait or change.blurred else (width, height)


def duration_after(change: Change, duration: float) -> float:
    kept = (min(change.end or duration, duration) - change.start) / change.speed
    return kept + (change.then.duration if change.then else 0.0)


def derive(source: Path, target: Path, change: Change, behind: Path | None = None) -> None:
    """Write the file that `change` makes of `source`; `behind` is the file of the scene that comes after it."""
    with av.open(str(source)) as container:
        stream = container.streams.video[0]
        rate = float(stream.average_rate or 25)
        whole = stream.width, stream.height
        size = size_after(change, whole)
        fps = change.fps or round(rate)
        kept = _resampled(container.decode(stream), change, rate, fps)
        frames = (
            _changed(kept, change, size, whole, fps)
            if _draws(change)
            else (_scaled(frame, size, "yuv420p") for frame in kept)
        )
        encode.write(target, chain(frames, _again(behind, size, fps)), fps=fps, size=size, crf=change.crf)


def _again(behind: Path | None, size: tuple[int, int], fps: int) -> Iterator[av.VideoFrame]:
    if behind is None:
        return
    with av.open(str(behind)) as container:
        stream = container.streams.video[0]
        kept = _resampled(container.decode(stream), Change(), float(stream.average_rate or 25), fps)
        yield from (_scaled(frame, size, "yuv420p") for frame in kept)


def _draws(change: Change) -> bool:
    """Whether the pictures themselves change, and not only their size and time."""
    framed = change.mirror or change.letterbox or change.portrait or change.blurred or change.filmed
    written = change.stamp or change.corner or change.banner or change.recorder is not None
    return bool(framed or written or change.crop or change.light != 1.0)


def _scaled(frame: av.VideoFrame, size: tuple[int, int], form: str) -> av.VideoFrame:
    """Scaled while it is converted anyway, which costs far less than scaling pictures afterwards."""
    return frame.reformat(width=size[0], height=size[1], format=form, interpolation="BICUBIC")


def _resampled(frames: Iterator[_T], change: Change, rate: float, fps: int) -> Iterator[_T]:
    """The frames at the times that the new file shows: `speed` and the frame rate drop or repeat some."""
    shown = 0
    for number, frame in enumerate(frames):
        at = number / rate
        if change.end is not None and at >= change.end:
            return
        while change.start + shown * change.speed / fps < at + 1 / rate - 1e-9:
            if change.start + shown * change.speed / fps < at - 1e-9:
                break
            yield frame
            shown += 1


def _changed(
    frames: Iterator[av.VideoFrame], change: Change, size: tuple[int, int], whole: tuple[int, int], fps: int
) -> Iterator[Image.Image]:
    filmed = film(size, change.seed, fps) if change.filmed else None
    setting = plain(filmed.screen) if filmed else _setting(change, size, whole)
    cut = round(whole[0] * change.crop), round(whole[1] * change.crop)
    marks = _marks(change, size)
    for number, frame in enumerate(frames):
        image = _picture(frame, setting.inner, whole, cut)
        if change.mirror:
            image = ImageOps.mirror(image)
        if change.light != 1.0:
            image = image.point(_light(change.light))
        image = setting.place(image)
        if filmed:
            image = filmed.shot(image, number)
        for mark, corner in (*marks, *_recorder(change, size, number / fps)):
            image.paste(mark, corner, mark)
        yield image


def _setting(change: Change, size: tuple[int, int], whole: tuple[int, int]) -> Setting:
    if change.banner:
        return with_banner(size, whole, change.banner, change.seed)
    if change.portrait:
        return upright(size, whole)
    if change.blurred:
        return blurred(size, whole)
    return letterboxed(size) if change.letterbox else plain(size)


def _picture(frame: av.VideoFrame, inner: tuple[int, int], whole: tuple[int, int], cut: tuple[int, int]) -> Image.Image:
    if not any(cut):
        return Image.fromarray(_scaled(frame, inner, "rgb24").to_ndarray())
    image = Image.fromarray(frame.to_ndarray(format="rgb24"))
    box = cut[0], cut[1], whole[0] - cut[0], whole[1] - cut[1]
    return image.resize(inner, Image.Resampling.BILINEAR, box=box)


def _light(light: float) -> Callable[[int], float]:
    return lambda value: min(255.0, value * light)


def _marks(change: Change, size: tuple[int, int]) -> list[tuple[Image.Image, tuple[int, int]]]:
    marks = []
    if change.stamp:
        marks.append(_mark(change.stamp, size, max(12, size[1] // 16), (0.5, 0.9), 255, ""))
    if change.corner:
        places = ((0.16, 0.9), (0.82, 0.12), (0.5, 0.5), (0.8, 0.84))
        marks.append(
            _mark(change.corner, size, max(11, size[1] // 22), places[change.seed % 4], 150, "LiberationSans-Bold.ttf")
        )
    return marks


def _recorder(change: Change, size: tuple[int, int], at: float) -> list[tuple[Image.Image, tuple[int, int]]]:
    """The timer of a screen recorder, near the top."""
    if change.recorder is None:
        return []
    seconds = int(change.recorder + at)
    text = f"REC  {seconds // 60:02d}:{seconds % 60:02d}"
    return [_mark(text, size, max(14, size[1] // 16), (0.82, 0.08), 255, "LiberationSans-Bold.ttf")]


def _mark(
    text: str, size: tuple[int, int], tall: int, place: tuple[float, float], alpha: int, name: str
) -> tuple[Image.Image, tuple[int, int]]:
    """White letters with a dark edge, as small a picture as they need."""
    letters = face(name, tall) if name else font(tall)
    edge = max(1, tall // 14)
    left, top, right, bottom = letters.getbbox(text, stroke_width=edge)
    image = Image.new("RGBA", (int(right - left) + 4, int(bottom - top) + 4))
    ink, shade = (255, 255, 255, alpha), (0, 0, 0, alpha)
    ImageDraw.Draw(image).text((2 - left, 2 - top), text, ink, letters, stroke_width=edge, stroke_fill=shade)
    return image, (round(size[0] * place[0] - image.width / 2), round(size[1] * place[1] - image.height / 2))
