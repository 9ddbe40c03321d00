"""Hostile files end in a sentence for people; faults of this machine end in an error that is retried."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from found_footy.platform.errors import DiskFailed, Unavailable
from found_footy.platform.media import image_decoder, probe
from found_footy.platform.media.image_decoder import ImageLimits, decode_image
from found_footy.platform.media.image_rules import ImageFault
from found_footy.platform.media.probe import MediaFault, UnusableMedia
from found_footy.uploads.images.preparation import (
    DECODER_MAX_ATTEMPTS,
    ImageDecoderFailed,
    PreparedImage,
    prepare_image,
    prepare_image_or_give_up,
)
from found_footy.uploads.images.refusals import RefusedImage
from tests.support.patience import PATIENCE
from tests.support.uploads.pictures import (
    encode,
    gif_of_size,
    jpeg_with_scans,
    ordinary_files,
    png_file,
    tiff_with_directory,
    webp_of_size,
)

PROGRAMS = Path(__file__).parents[2] / "support" / "platform"
LIMITS = replace(ImageLimits(), timeout=PATIENCE)
HEIC = b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic" + bytes(100)
SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
# 16,383 × 3,051 transparent pixels.
LARGEST_WEBP = bytes.fromhex("524946461a000000574542505650384c0d0000002ffebffa12071011118888fe0700")
# Peak of the child over the hostile set, its libraries included; the largest permitted WebP needs most.
MAX_CHILD_MEBIBYTES = 1_000


def tiff_of_size(width: int, height: int) -> bytes:
    entries = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1)]
    return tiff_with_directory([*entries, (273, 4, 1, 8), (277, 3, 1, 1), (278, 4, 1, height), (279, 4, 1, 100)])


def bmp_of_size(width: int, height: int) -> bytes:
    data = bytearray(ordinary_files()["image/bmp"])
    data[18:26] = width.to_bytes(4, "little") + height.to_bytes(4, "little")
    return bytes(data)


def jpeg_of_size(width: int, height: int) -> bytes:
    data = bytearray(ordinary_files()["image/jpeg"])
    at = data.index(b"\xff\xc0") + 5
    data[at : at + 4] = height.to_bytes(2, "big") + width.to_bytes(2, "big")
    return bytes(data)


async def prepare(folder: Path, data: bytes, limits: ImageLimits = LIMITS) -> PreparedImage | RefusedImage:
    (folder / "picture").write_bytes(data)
    (folder / "out").mkdir(exist_ok=True)
    return await prepare_image(folder / "picture", folder / "out", limits)


REFUSED: dict[str, tuple[Callable[[], bytes], str, str]] = {
    "no bytes": (lambda: b"", "empty", "The file is empty."),
    "words": (lambda: b"not a picture at all", "not_an_image", "not a picture"),
    "SVG": (lambda: SVG, "unsupported_type", "SVG"),
    "HTML": (lambda: b"<!doctype html><script>alert(1)</script>", "unsupported_type", "HTML"),
    "HEIC": (lambda: HEIC, "unsupported_type", "HEIC"),
    "PDF": (lambda: b"%PDF-1.7 ...", "unsupported_type", "PDF"),
    "Lab TIFF": (lambda: encode(Image.new("LAB", (9, 9)), "TIFF"), "unsupported_type", "Lab"),
    "GIF that is a script": (lambda: b"GIF89a=1;alert(1);//" + bytes(50), "damaged", "GIF is damaged"),
    "JPEG of its signature": (lambda: b"\xff\xd8\xff", "damaged", "JPEG is damaged"),
    "PNG of its signature": (lambda: b"\x89PNG\r\n\x1a\n", "damaged", "PNG is damaged"),
    "large PNG": (lambda: png_file(30_000, 30_000, rows=1), "too_many_pixels", "50 megapixels"),
    "largest PNG": (lambda: png_file(2**31 - 1, 2**31 - 1, rows=0), "too_many_pixels", "50 megapixels"),
    "large WebP": (lambda: webp_of_size(16_000, 16_000), "too_many_pixels", "50 megapixels"),
    "large GIF": (lambda: gif_of_size(65_535, 65_535), "too_many_pixels", "50 megapixels"),
    "large BMP": (lambda: bmp_of_size(100_000, 100_000), "too_many_pixels", "50 megapixels"),
    "large JPEG": (lambda: jpeg_of_size(65_500, 65_500), "too_many_pixels", "50 megapixels"),
    "large TIFF": (lambda: tiff_of_size(100_000, 100_000), "too_many_pixels", "50 megapixels"),
    "PNG without a side": (lambda: png_file(0, 10, rows=0), "damaged", "PNG is damaged"),
    "JPEG of many scans": (lambda: jpeg_with_scans(500), "damaged", "JPEG is damaged"),
    "TIFF of many strips": (lambda: tiff_with_directory([(273, 4, 2**30, 8)]), "damaged", "TIFF is damaged"),
    "TIFF that is a circle": (lambda: tiff_with_directory([]) + b"\x08\x00\x00\x00", "damaged", "TIFF is damaged"),
    "AVIF of its header": (lambda: ordinary_files()["image/avif"][:60], "damaged", "AVIF is damaged"),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_a_hostile_file_is_refused_with_a_sentence(tmp_path: Path, name: str) -> None:
    make, reason, sentence = REFUSED[name]
    found = await prepare(tmp_path, make())
    assert isinstance(found, RefusedImage), found
    assert found.reason == reason
    assert sentence in found.sentence
    assert str(tmp_path) not in found.sentence


@pytest.mark.parametrize("content_type", list(ordinary_files()))
async def test_a_truncated_picture_is_refused(tmp_path: Path, content_type: str) -> None:
    data = ordinary_files()[content_type]
    found = await prepare(tmp_path, data[: len(data) * 2 // 3])
    assert isinstance(found, RefusedImage), found
    assert found.reason == "damaged"


async def test_a_file_that_is_too_long_is_refused_unread(tmp_path: Path) -> None:
    found = await prepare(tmp_path, ordinary_files()["image/bmp"], replace(LIMITS, max_bytes=1_000))
    assert found == RefusedImage("too_large", "The file is larger than 0.001 MB.")


async def test_a_picture_with_a_page_behind_it_is_a_picture(tmp_path: Path) -> None:
    for data in ordinary_files().values():
        found = await prepare(tmp_path, data + b"<html><script>alert(1)</script></html>")
        assert isinstance(found, PreparedImage), found
        assert b"<script>" not in found.preview.read_bytes()


async def test_a_picture_that_needs_too_much_processor_time_is_refused_not_retried(tmp_path: Path) -> None:
    costly = jpeg_with_scans(80, 7_000, 7_000)
    assert len(costly) < LIMITS.max_bytes
    found = await prepare(tmp_path, costly, replace(LIMITS, cpu_seconds=1))
    assert found == RefusedImage("too_costly", "The JPEG takes too long to decode.")


@pytest.fixture
def lying(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Prepares a picture with a decoder that does what it is told."""
    monkeypatch.setenv("PYTHONPATH", str(PROGRAMS))
    probe._shared_fork_server.cache_clear()
    monkeypatch.setattr(image_decoder, "_CHILD", "lying_image_decoder")

    async def run(folder: Path, script: dict[str, Any], limits: ImageLimits = LIMITS) -> PreparedImage | RefusedImage:
        return await prepare(folder, b"\x89PNG\r\n\x1a\n" + json.dumps(script).encode(), limits)

    yield run
    probe._shared_fork_server().close()
    probe._shared_fork_server.cache_clear()


JPEG, PIXELS = "ffd8ffe0", bytes(12).hex()
SIZE = {"width": 2, "height": 2, "picture_width": 2, "picture_height": 2}
LIES: dict[str, dict[str, Any]] = {
    "killed": {"signal": "SIGKILL"},
    "crashed": {"signal": "SIGSEGV"},
    "no answer": {"text": ""},
    "no JSON": {"text": "{"},
    "a list": {"answer": [1]},
    "an unknown fault": {"answer": {"fault": "sunspots", "detail": ""}},
    "an unknown refusal": {"answer": {"refused": "sunspots", "detail": ""}},
    "no size": {"answer": {"width": 2}, "files": {"picture.rgb": PIXELS, "preview.jpg": JPEG}},
    "a size that is text": {"answer": {**SIZE, "width": "2"}, "files": {"picture.rgb": PIXELS, "preview.jpg": JPEG}},
    "a huge size": {
        "answer": {**SIZE, "picture_width": 100_000, "picture_height": 100_000},
        "files": {"picture.rgb": PIXELS, "preview.jpg": JPEG},
    },
    "too few bytes": {"answer": SIZE, "files": {"picture.rgb": "00", "preview.jpg": JPEG}},
    "a preview that is a page": {"answer": SIZE, "files": {"picture.rgb": PIXELS, "preview.jpg": b"<html>".hex()}},
    "a preview that is large": {
        "answer": SIZE,
        "files": {"picture.rgb": PIXELS, "preview.jpg": JPEG + "00" * (256 * 1024)},
    },
    "out of memory": {"answer": {"fault": "crashed", "detail": "MemoryError"}},
}


async def test_a_decoder_that_does_as_it_should_is_believed(tmp_path: Path, lying: Callable[..., Any]) -> None:
    """The lies below are found out as lies, not as something else."""
    found = await lying(tmp_path, {"answer": SIZE, "files": {"picture.rgb": PIXELS, "preview.jpg": JPEG}})
    assert isinstance(found, PreparedImage)


@pytest.mark.parametrize("name", LIES)
async def test_a_decoder_that_fails_or_lies_is_retried_and_no_verdict(
    tmp_path: Path, name: str, lying: Callable[..., Any]
) -> None:
    with pytest.raises(ImageDecoderFailed) as failed:
        await lying(tmp_path, LIES[name])
    assert failed.value.retryable


async def test_a_decoder_whose_answer_is_too_long_is_not_believed(tmp_path: Path, lying: Callable[..., Any]) -> None:
    files = {"picture.rgb": PIXELS, "preview.jpg": JPEG}
    assert isinstance(await lying(tmp_path, {"answer": {**SIZE, "more": "x" * 3_000}, "files": files}), PreparedImage)
    with pytest.raises(ImageDecoderFailed):
        await lying(tmp_path, {"answer": {**SIZE, "more": "x" * 5_000}, "files": files})


async def test_a_decoder_cannot_write_a_file_that_fills_the_disk(tmp_path: Path, lying: Callable[..., Any]) -> None:
    files = {"preview.jpg": JPEG, "picture.rgb": "00" * (16 * 2**20 + 1)}
    with pytest.raises((ImageDecoderFailed, DiskFailed)):
        await lying(tmp_path, {"answer": SIZE, "files": files}, replace(LIMITS, max_bytes=10**8))
    assert (tmp_path / "out" / "picture.rgb").stat().st_size <= 16 * 2**20


async def test_a_decoder_that_sets_itself_no_limit_of_processor_time_has_one(
    tmp_path: Path, lying: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends by the kernel's limit, long before the time limit of the whole job."""
    monkeypatch.setattr(image_decoder, "_SPARE_CPU_SECONDS", 0)
    with pytest.raises(ImageDecoderFailed, match="the decoder ended with"):
        await lying(tmp_path, {"spin": True}, replace(LIMITS, cpu_seconds=1))


async def test_a_decoder_that_gets_no_processor_is_retried(tmp_path: Path, lying: Callable[..., Any]) -> None:
    with pytest.raises(ImageDecoderFailed, match="too_slow"):
        await lying(tmp_path, {"spin": True}, replace(LIMITS, timeout=timedelta(milliseconds=300)))


@pytest.mark.parametrize("detail", ["No space left on device", "Too many open files"])
async def test_a_full_disk_is_retried_and_no_verdict(tmp_path: Path, lying: Callable[..., Any], detail: str) -> None:
    with pytest.raises(DiskFailed) as failed:
        await lying(tmp_path, {"answer": {"fault": "machine", "detail": detail}})
    assert failed.value.retryable


async def test_missing_files_and_folders_are_faults_of_this_machine(tmp_path: Path) -> None:
    with pytest.raises(DiskFailed):
        await prepare_image(tmp_path / "absent", tmp_path, LIMITS)
    (tmp_path / "picture").write_bytes(ordinary_files()["image/png"])
    with pytest.raises(Unavailable):
        await prepare_image(tmp_path / "picture", tmp_path / "absent", LIMITS)


async def test_too_little_memory_for_the_child_is_no_verdict(tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(png_file(4_000, 4_000, channels=4))
    (tmp_path / "out").mkdir()
    found = await decode_image(tmp_path / "picture", tmp_path / "out", replace(LIMITS, memory=230 * 2**20))
    assert isinstance(found, UnusableMedia)
    assert found.fault is MediaFault.CRASHED


async def test_a_picture_that_always_ends_the_decoder_is_refused_only_if_others_are_decoded(
    tmp_path: Path, lying: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reference picture is decoded by the real child; on a machine that cannot do that either, it is retried."""
    with pytest.raises(ImageDecoderFailed):
        await lying(tmp_path, LIES["crashed"])
    source, out = tmp_path / "picture", tmp_path / "out"
    for attempt in range(1, DECODER_MAX_ATTEMPTS + 1):
        with pytest.raises(ImageDecoderFailed):
            await prepare_image_or_give_up(source, out, LIMITS, attempt)
    monkeypatch.setattr(image_decoder, "_CHILD", "found_footy.platform.media.children.image")
    decode = probe.run_in_sandbox

    async def crash_on_it(module: str, arguments: Any, limits: Any, folders: Any) -> Any:
        if arguments[0] == source:
            return UnusableMedia(MediaFault.CRASHED, "the decoder ended with -11")
        return await decode(module, arguments, limits, folders)

    monkeypatch.setattr(image_decoder, "run_in_sandbox", crash_on_it)
    with pytest.raises(ImageDecoderFailed):
        await prepare_image_or_give_up(source, out, LIMITS, DECODER_MAX_ATTEMPTS - 1)
    found = await prepare_image_or_give_up(source, out, LIMITS, DECODER_MAX_ATTEMPTS)
    assert isinstance(found, RefusedImage)
    assert found.reason == "decoder_fails"


MEASURE = """
import asyncio, json, resource, sys
from dataclasses import replace
from pathlib import Path
from found_footy.platform.media import probe
from found_footy.platform.media.image_decoder import ImageLimits
from found_footy.uploads.images.preparation import prepare_image

async def prepare_all(folder):
    limits = replace(ImageLimits(), timeout=__import__("datetime").timedelta(seconds=float(sys.argv[2])))
    for source in sorted(folder.glob("*.picture")):
        (folder / "out").mkdir(exist_ok=True)
        found = await prepare_image(source, folder / "out", limits)
        results[source.stem] = getattr(found, "reason", "prepared")

results = {}
asyncio.run(prepare_all(Path(sys.argv[1])))
probe._shared_fork_server().close()
# Not ru_maxrss, which includes the process that this one was forked from.
own = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
children = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([results, int(own.split()[1]) // 1024, children.ru_maxrss // 1024]))
"""


def test_memory_is_bounded_over_the_hostile_set(tmp_path: Path) -> None:
    """The largest permitted pictures of the types that need most, beside everything that is refused."""
    largest = {
        "PNG with alpha": png_file(7_071, 7_071, channels=4),
        "PNG of one row": png_file(49_999_999, 1, channels=4),
        "WebP": LARGEST_WEBP,
        "progressive CMYK JPEG": encode(Image.new("CMYK", (7_071, 7_071)), "JPEG", progressive=True),
    }
    refused = {name: make() for name, (make, _, _) in REFUSED.items()}
    for name, data in {**largest, **refused}.items():
        (tmp_path / f"{name}.picture").write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(tmp_path), str(PATIENCE.total_seconds())], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    results, worker, child = json.loads(done.stdout)
    assert {name: results[name] for name in largest} == dict.fromkeys(largest, "prepared")
    assert {name: results[name] for name in refused} == {name: reason for name, (_, reason, _) in REFUSED.items()}
    assert child < MAX_CHILD_MEBIBYTES
    assert worker < 200, "the worker reads a few kilobytes of a file, and the small picture that comes back"


def test_every_fault_has_its_own_sentence() -> None:
    from found_footy.platform.media.image_decoder import UndecodableImage
    from found_footy.uploads.images.refusals import refuse_image

    sentences = {refuse_image(UndecodableImage(fault, "X"), LIMITS).sentence for fault in ImageFault}
    assert len(sentences) == len(ImageFault)
