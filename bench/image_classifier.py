"""What classifying an upload costs, on one core: `python bench/image_classifier.py [--pictures 24]`.

The classifier alone in batches of 1, 4 and 8, and decoding in the sandbox with the preview, all in one run, so that the
ratios hold on any machine. Times are those of the processor, children included.
"""

import argparse
import asyncio
import contextlib
import os
import resource
import tempfile
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path

import numpy as np
from PIL import Image

from found_footy.embedded.endpoints import default_data_dir
from found_footy.platform.media import probe
from found_footy.platform.media.children.image import main as decode_here
from found_footy.platform.media.frames import Pixels
from found_footy.platform.media.image_decoder import ImageLimits
from found_footy.uploads.classifiers.factory import build_upload_classifier
from found_footy.uploads.classifiers.onnx_backend import OnnxClassifier
from found_footy.uploads.images.preparation import PreparedImage, prepare_image
from found_footy.uploads.settings import UploadSettings

BATCHES = (1, 4, 8)
# Width and height of a phone's picture and of one from a web page.
SIZES = {"12 megapixels": (4000, 3000), "1 megapixel": (1200, 800)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=int, default=24, help="pictures classified for each figure")
    count = parser.parse_args().pictures
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(f"{'':44}{'ms':>8}{'per second':>12}{'of batch 1':>12}")
    pixels = np.random.default_rng(1).integers(0, 255, (320, 480, 3), np.uint8)
    single = asyncio.run(_measure_classifier(pixels, 1, count))
    for batch in BATCHES:
        cost = single if batch == 1 else asyncio.run(_measure_classifier(pixels, batch, count))
        _print_row(f"classifier, batch {batch}", cost, single)
    for name, size in SIZES.items():
        _measure_decoding(name, _make_jpeg(*size), count, single)


def _print_row(name: str, seconds: float, single: float) -> None:
    print(f"{name:44}{seconds * 1000:8.1f}{1 / seconds:12.1f}{seconds / single:12.2f}")


async def _measure_classifier(pixels: Pixels, batch: int, count: int) -> float:
    """Seconds per picture, with as many callers at once as the batch has places."""
    classifier = build_upload_classifier(UploadSettings(classifier_batch=batch), default_data_dir() / "models")
    assert isinstance(classifier, OnnxClassifier)
    await asyncio.gather(*(classifier.classify(pixels) for _ in range(batch)))
    began = _processor_seconds()
    for _ in range(count // batch):
        await asyncio.gather(*(classifier.classify(pixels) for _ in range(batch)))
    spent = _processor_seconds() - began
    await classifier.aclose()
    return spent / (count // batch * batch)


def _measure_decoding(name: str, data: bytes, count: int, single: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "picture", Path(folder) / "out"
        source.write_bytes(data)
        out.mkdir()
        _print_row(f"decoding and preview, {name}, no sandbox", _cost(lambda: _decode_here(source, out), count), single)
        start = _decode_in_sandbox(source, out, 1)
        several = _decode_in_sandbox(source, out, count + 1)
        _print_row(f"the same in the sandbox, {name}", (several - start) / count, single)


def _decode_in_sandbox(source: Path, out: Path, count: int) -> float:
    """Processor seconds of so many pictures and of the start of the process that children are forked from."""
    began = _processor_seconds()
    for _ in range(count):
        assert isinstance(asyncio.run(prepare_image(source, out, ImageLimits())), PreparedImage)
    probe._shared_fork_server().close()  # noqa: SLF001  only then the kernel counts its children
    return _processor_seconds() - began


def _decode_here(source: Path, out: Path) -> None:
    """The child's program in this process; what it prints is of no interest here."""
    with contextlib.redirect_stdout(StringIO()):
        assert decode_here([str(source), str(out), "image/jpeg", "50000000", "100000"]) == 0


def _cost(work: Callable[[], object], count: int) -> float:
    began = _processor_seconds()
    for _ in range(count):
        work()
    return (_processor_seconds() - began) / count


def _processor_seconds() -> float:
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def _make_jpeg(width: int, height: int) -> bytes:
    noise = np.random.default_rng(2).integers(0, 255, (height // 20, width // 20, 3), np.uint8)
    data = BytesIO()
    Image.fromarray(noise).resize((width, height), Image.Resampling.BICUBIC).save(data, "JPEG", quality=88)
    return data.getvalue()


if __name__ == "__main__":
    main()
