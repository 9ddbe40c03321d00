"""Small real videos for tests: a pitch with a ball that moves, as H.264 in an MP4 that plays while it loads."""

import io
import math
import tempfile
from functools import cache
from pathlib import Path

import av
import numpy as np
from PIL import Image, ImageDraw

_GRASS = ((46, 125, 68), (42, 115, 62))
_LINE = (225, 240, 230)


def _picture(width: int, height: int, progress: float, label: str) -> Image.Image:
    picture = Image.new("RGB", (width, height), _GRASS[0])
    draw = ImageDraw.Draw(picture)
    stripe = width // 10
    for number in range(0, 10, 2):
        draw.rectangle((number * stripe, 0, (number + 1) * stripe, height), fill=_GRASS[1])
    draw.line((width // 2, 0, width // 2, height), fill=_LINE, width=2)
    radius = height // 5
    draw.ellipse((width // 2 - radius, height // 2 - radius, width // 2 + radius, height // 2 + radius), outline=_LINE)
    draw.rectangle((width - width // 7, height // 4, width + 2, height - height // 4), outline=_LINE)
    x = int(width * (0.1 + 0.8 * progress))
    y = int(height * (0.5 + 0.3 * math.sin(progress * 9)))
    draw.ellipse((x - 6, y - 6, x + 6, y + 6), fill="white")
    draw.rectangle((12, 12, 120, 34), fill=(10, 15, 12))
    draw.text((18, 17), label, fill="white")
    return picture


@cache
def video(seconds: float = 4.0, *, label: str = "23:10", width: int = 320, height: int = 180, fps: int = 12) -> bytes:
    """The bytes of an MP4; the same arguments give the same bytes."""
    frames = int(seconds * fps)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "video.mp4"
        with av.open(str(target), "w", options={"movflags": "faststart"}) as container:
            stream = container.add_stream("libx264", rate=fps)
            stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
            stream.options = {"crf": "30", "preset": "ultrafast", "threads": "1"}
            for number in range(frames):
                pixels = np.asarray(_picture(width, height, number / frames, label))
                container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, "rgb24")))
            container.mux(stream.encode())
        return target.read_bytes()


@cache
def thumbnail(label: str = "23:10", width: int = 320, height: int = 180) -> bytes:
    target = io.BytesIO()
    _picture(width, height, 0.6, label).save(target, "JPEG", quality=80)
    return target.getvalue()
