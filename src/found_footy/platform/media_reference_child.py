"""The program that makes a small video and decodes it, run as a child process under the limits of strangers' files.

`python -m found_footy.platform.media_reference_child TARGET` prints one JSON object: how many frames were decoded, or
the fault of this machine that prevents it.
"""

import sys
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.video.frame import VideoFrame

from found_footy.platform.media_stream import Facts, Unusable, answer, opened

_FRAMES, _RATE = 8, 8
_WIDTH, _HEIGHT = 1280, 720
_X264 = {"preset": "ultrafast", "threads": "1"}


def main(arguments: list[str]) -> int:
    return answer(lambda: _decoded(Path(arguments[0])))


def _decoded(target: Path) -> Facts:
    _write(target)
    with opened(target) as (container, stream):
        frames = sum(1 for _ in container.decode(stream))
    if frames != _FRAMES:
        raise Unusable("crashed", f"{frames} of {_FRAMES} frames were decoded")
    return {"frames": frames}


def _write(target: Path) -> None:
    with av.open(str(target), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=_RATE)
        stream.width, stream.height, stream.pix_fmt = _WIDTH, _HEIGHT, "yuv420p"
        stream.codec_context.options = _X264
        for number in range(_FRAMES):
            frame = VideoFrame.from_ndarray(np.full((_HEIGHT, _WIDTH, 3), 30 * number, np.uint8), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, _RATE)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
