"""Making a file from another one, as people do before they post it: trim, shrink, mirror, film it off a screen."""

from collections.abc import Iterator
from math import sin
from pathlib import Path

import av
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, ImageFont, ImageOps

from found_footy.sim.media import encode
from found_footy.sim.media.spec import Change

_ROOM = (24, 20, 18)


def even(number: float) -> int:
    return max(2, round(number / 2) * 2)


def size_after(change: Change, size: tuple[int, int]) -> tuple[int, int]:
    """Width and height of the derived file."""
    width, height = change.width or size[0], change.height or size[1]
    return (even(height * 9 / 16), height) if change.portrait else (width, height)


def duration_after(change: Change, duration: float) -> float:
    return (min(change.end or duration, duration) - change.start) / change.speed


def derive(source: Path, target: Path, change: Change) -> None:
    """Write the file that `change` makes of `source`."""
    with av.open(str(source)) as container:
        stream = container.streams.video[0]
        rate = float(stream.average_rate or 25)
        size = size_after(change, (stream.width, stream.height))
        fps = change.fps or round(rate)
        whole = (stream.width, stream.height) if change.portrait or change.letterbox else size
        kept = _resampled(_decoded(container, stream, whole), change, rate, fps)
        changed = (_changed(image, number, size, change) for number, image in enumerate(kept))
        encode.write(target, changed, fps=fps, size=size, crf=change.crf)


def _decoded(
    container: "av.container.InputContainer", stream: "av.VideoStream", size: tuple[int, int]
) -> Iterator[Image.Image]:
    """Frames scaled while they are converted anyway, which costs far less than scaling pictures afterwards."""
    for frame in container.decode(stream):
        scaled = frame.reformat(width=size[0], height=size[1], format="rgb24", interpolation="BICUBIC")
        yield Image.fromarray(scaled.to_ndarray())


def _resampled(frames: Iterator[Image.Image], change: Change, rate: float, fps: int) -> Iterator[Image.Image]:
    """The frames at the times that the new file shows: `speed` and the frame rate drop or repeat some."""
    shown = 0
    for number, image in enumerate(frames):
        at = number / rate
        if change.end is not None and at >= change.end:
            return
        while change.start + shown * change.speed / fps < at + 1 / rate - 1e-9:
            if change.start + shown * change.speed / fps < at - 1e-9:
                break
            yield image
            shown += 1


def _changed(image: Image.Image, number: int, size: tuple[int, int], change: Change) -> Image.Image:
    if change.mirror:
        image = ImageOps.mirror(image)
    if change.portrait:
        image = ImageOps.fit(image, size)
    elif change.letterbox:
        small = image.resize((size[0], even(size[1] * 0.78)), Image.Resampling.BICUBIC)
        image = ImageOps.pad(small, size, color="black")
    if change.filmed:
        image = _filmed(image, number)
    if change.stamp:
        _stamp(image, change.stamp)
    return image


def _filmed(image: Image.Image, number: int) -> Image.Image:
    """A hand-held phone in front of a television: the set's frame, a dark room, a picture that never stands still."""
    width, height = image.size
    screen = image.resize((even(width * 0.78), even(height * 0.78)), Image.Resampling.BILINEAR)
    screen = ImageEnhance.Contrast(screen.filter(ImageFilter.BoxBlur(height / 540))).enhance(0.82)
    bezel = ImageOps.expand(screen, max(4, height // 60), fill=(6, 6, 7))
    room = Image.new("RGB", image.size, _ROOM)
    sway = sin(number / 9) * 0.9 + sin(number / 4.1) * 0.6, sin(number / 7) * 0.8 + sin(number / 3.3) * 0.5
    left = width * 0.09 + sway[0] * width / 130
    top = height * 0.09 + sway[1] * height / 100
    room.paste(bezel, (round(left), round(top)))
    return room.rotate(1.4 + sway[0] * 0.5, Image.Resampling.BILINEAR, fillcolor=_ROOM)


def _stamp(image: Image.Image, text: str) -> None:
    font = ImageFont.load_default(max(12, image.height // 16))
    place = image.width * 0.5, image.height * 0.9
    ImageDraw.Draw(image).text(place, text, "white", font, anchor="mm", stroke_width=2, stroke_fill="black")
