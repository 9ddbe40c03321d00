"""Derives a file from another one, as people do before they post it: trim, shrink, mirror, frame, film off a screen."""

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import TypeVar

import av
from PIL import Image, ImageDraw, ImageOps

from found_footy_sim.media import encoder
from found_footy_sim.media.clip_spec import ClipChange
from found_footy_sim.media.editing.frame_layouts import (
    FrameLayout,
    banner_layout,
    blurred_layout,
    letterbox_layout,
    plain_layout,
    portrait_layout,
)
from found_footy_sim.media.editing.phone_capture import build_phone_capture
from found_footy_sim.media.graphics.fonts import load_default_font, load_typeface

_T = TypeVar("_T")


def round_to_even(number: float) -> int:
    return max(2, round(number / 2) * 2)


def size_after(change: ClipChange, size: tuple[int, int]) -> tuple[int, int]:
    """Width and height of the derived file."""
    width, height = change.width or size[0], change.height or size[1]
    return (round_to_even(height * 9 / 16), height) if change.portrait or change.blurred else (width, height)


def duration_after(change: ClipChange, duration: float) -> float:
    kept = (min(change.end or duration, duration) - change.start) / change.speed
    return kept + (change.then.duration if change.then else 0.0)


def derive_file(source: Path, target: Path, change: ClipChange, appended: Path | None = None) -> None:
    """Write the file that `change` makes of `source`; `appended` is the file of the scene that follows it."""
    with av.open(str(source)) as container:
        stream = container.streams.video[0]
        rate = float(stream.average_rate or 25)
        whole = stream.width, stream.height
        size = size_after(change, whole)
        fps = change.fps or round(rate)
        kept = _resample_frames(container.decode(stream), change, rate, fps)
        frames = (
            _edit_frames(kept, change, size, whole, fps)
            if _changes_pictures(change)
            else (_scale_frame(frame, size, "yuv420p") for frame in kept)
        )
        encoder.write_mp4(
            target, chain(frames, _decode_appended(appended, size, fps)), fps=fps, size=size, crf=change.crf
        )


def _decode_appended(appended: Path | None, size: tuple[int, int], fps: int) -> Iterator[av.VideoFrame]:
    if appended is None:
        return
    with av.open(str(appended)) as container:
        stream = container.streams.video[0]
        kept = _resample_frames(container.decode(stream), ClipChange(), float(stream.average_rate or 25), fps)
        yield from (_scale_frame(frame, size, "yuv420p") for frame in kept)


def _changes_pictures(change: ClipChange) -> bool:
    """Whether the pictures themselves change, and not only their size and time."""
    framed = change.mirror or change.letterbox or change.portrait or change.blurred or change.filmed
    written = change.stamp or change.corner or change.banner or change.recorder is not None
    return bool(framed or written or change.crop or change.light != 1.0)


def _scale_frame(frame: av.VideoFrame, size: tuple[int, int], form: str) -> av.VideoFrame:
    """Scale during the conversion, which costs far less than scaling pictures afterwards."""
    return frame.reformat(width=size[0], height=size[1], format=form, interpolation="BICUBIC")


def _resample_frames(frames: Iterator[_T], change: ClipChange, rate: float, fps: int) -> Iterator[_T]:
    """Yield the frames at the times that the new file shows: `speed` and the frame rate drop or repeat some."""
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


def _edit_frames(
    frames: Iterator[av.VideoFrame], change: ClipChange, size: tuple[int, int], whole: tuple[int, int], fps: int
) -> Iterator[Image.Image]:
    filmed = build_phone_capture(size, change.seed, fps) if change.filmed else None
    setting = plain_layout(filmed.screen_size) if filmed else _choose_layout(change, size, whole)
    cut = round(whole[0] * change.crop), round(whole[1] * change.crop)
    marks = _build_marks(change, size)
    for number, frame in enumerate(frames):
        image = _crop_picture(frame, setting.inner_size, whole, cut)
        if change.mirror:
            image = ImageOps.mirror(image)
        if change.light != 1.0:
            image = image.point(_brightness_curve(change.light))
        image = setting.place_picture(image)
        if filmed:
            image = filmed.capture_frame(image, number)
        for mark, corner in (*marks, *_build_recorder_mark(change, size, number / fps)):
            image.paste(mark, corner, mark)
        yield image


def _choose_layout(change: ClipChange, size: tuple[int, int], whole: tuple[int, int]) -> FrameLayout:
    if change.banner:
        return banner_layout(size, whole, change.banner, change.seed)
    if change.portrait:
        return portrait_layout(size, whole)
    if change.blurred:
        return blurred_layout(size, whole)
    return letterbox_layout(size) if change.letterbox else plain_layout(size)


def _crop_picture(
    frame: av.VideoFrame, inner: tuple[int, int], whole: tuple[int, int], cut: tuple[int, int]
) -> Image.Image:
    if not any(cut):
        return Image.fromarray(_scale_frame(frame, inner, "rgb24").to_ndarray())
    image = Image.fromarray(frame.to_ndarray(format="rgb24"))
    box = cut[0], cut[1], whole[0] - cut[0], whole[1] - cut[1]
    return image.resize(inner, Image.Resampling.BILINEAR, box=box)


def _brightness_curve(light: float) -> Callable[[int], float]:
    return lambda value: min(255.0, value * light)


def _build_marks(change: ClipChange, size: tuple[int, int]) -> list[tuple[Image.Image, tuple[int, int]]]:
    marks = []
    if change.stamp:
        marks.append(_draw_mark(change.stamp, size, max(12, size[1] // 16), (0.5, 0.9), 255, ""))
    if change.corner:
        places = ((0.16, 0.9), (0.82, 0.12), (0.5, 0.5), (0.8, 0.84))
        marks.append(
            _draw_mark(
                change.corner, size, max(11, size[1] // 22), places[change.seed % 4], 150, "LiberationSans-Bold.ttf"
            )
        )
    return marks


def _build_recorder_mark(
    change: ClipChange, size: tuple[int, int], at: float
) -> list[tuple[Image.Image, tuple[int, int]]]:
    """The timer of a screen recorder, near the top."""
    if change.recorder is None:
        return []
    seconds = int(change.recorder + at)
    text = f"REC  {seconds // 60:02d}:{seconds % 60:02d}"
    return [_draw_mark(text, size, max(14, size[1] // 16), (0.82, 0.08), 255, "LiberationSans-Bold.ttf")]


def _draw_mark(
    text: str, size: tuple[int, int], tall: int, place: tuple[float, float], alpha: int, name: str
) -> tuple[Image.Image, tuple[int, int]]:
    """White letters with a dark outline, cropped to the text."""
    letters = load_typeface(name, tall) if name else load_default_font(tall)
    edge = max(1, tall // 14)
    left, top, right, bottom = letters.getbbox(text, stroke_width=edge)
    image = Image.new("RGBA", (int(right - left) + 4, int(bottom - top) + 4))
    ink, shade = (255, 255, 255, alpha), (0, 0, 0, alpha)
    ImageDraw.Draw(image).text((2 - left, 2 - top), text, ink, letters, stroke_width=edge, stroke_fill=shade)
    return image, (round(size[0] * place[0] - image.width / 2), round(size[1] * place[1] - image.height / 2))
