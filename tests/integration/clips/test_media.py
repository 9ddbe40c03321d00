"""Strangers' files are opened by a child process; the bad ones cost only their own rejection."""

import asyncio
import os
from datetime import timedelta
from fractions import Fraction
from pathlib import Path

import av
import pytest
from PIL import Image

from found_footy.platform.media.mp4_boxes import is_faststart
from found_footy.platform.media.probe import (
    MediaFault,
    MediaInfo,
    MediaLimits,
    PreparedMedia,
    UnusableMedia,
    prepare_media,
    probe_media,
)
from tests.support.media.hostile_videos import plain_frame
from tests.support.media.small_videos import mp4, sound_only


def a_file(folder: Path, content: bytes, name: str = "clip.mp4") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


async def prepared(source: Path) -> PreparedMedia | UnusableMedia:
    return await prepare_media(source, thumbnail=source.with_suffix(".jpg"), playable=source.with_name("playable.mp4"))


async def test_a_video_is_described_by_its_properties(tmp_path: Path) -> None:
    info = await probe_media(a_file(tmp_path, mp4(seconds=4.0, width=320, height=180)))
    assert isinstance(info, MediaInfo)
    assert (info.width, info.height, info.rotation, info.codec, info.has_audio) == (320, 180, 0, "h264", False)
    assert info.duration == pytest.approx(4.0, abs=0.2)
    assert info.fps == pytest.approx(10.0)
    assert info.size == len(mp4(seconds=4.0, width=320, height=180))
    assert info.bitrate == pytest.approx(info.size * 8 / info.duration, rel=0.01)


async def test_a_picture_of_the_video_is_made(tmp_path: Path) -> None:
    source = a_file(tmp_path, mp4(width=320, height=180))
    assert isinstance(await prepared(source), PreparedMedia)
    with Image.open(source.with_suffix(".jpg")) as picture:
        assert picture.format == "JPEG"
        assert picture.size == (320, 180)


async def test_a_video_that_plays_at_once_is_left_alone(tmp_path: Path) -> None:
    source = a_file(tmp_path, mp4(faststart=True))
    result = await prepared(source)
    assert isinstance(result, PreparedMedia)
    assert not result.is_remuxed
    assert not (tmp_path / "playable.mp4").exists()


async def test_an_index_at_the_end_is_moved_to_the_front_without_encoding_again(tmp_path: Path) -> None:
    source = a_file(tmp_path, mp4(faststart=False))
    assert not is_faststart(source)
    result = await prepared(source)
    assert isinstance(result, PreparedMedia)
    assert result.is_remuxed
    playable = tmp_path / "playable.mp4"
    assert is_faststart(playable)
    assert _packets(playable) == _packets(source)


async def test_moving_the_index_gives_the_same_bytes_every_time(tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        await prepared(a_file(folder, mp4(faststart=False)))
        made.append((folder / "playable.mp4").read_bytes())
    assert made[0] == made[1]


@pytest.mark.parametrize(("degrees", "shown"), [(90, (180, 320)), (89, (180, 320)), (1, (320, 180))])
async def test_a_video_filmed_sideways_is_measured_as_it_is_shown(
    tmp_path: Path, degrees: int, shown: tuple[int, int]
) -> None:
    """Players turn by quarters: one degree does not make a portrait of a broadcast, or the other way round."""
    upright = a_file(tmp_path, mp4(), "upright.mp4")
    turned = tmp_path / "turned.mp4"
    with av.open(str(upright)) as source, av.open(str(turned), "w") as target:
        stream = target.add_stream_from_template(source.streams.video[0])
        stream.set_display_rotation(degrees)
        for packet in source.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                target.mux(packet)
    result = await prepared(turned)
    assert isinstance(result, PreparedMedia)
    assert (result.info.width, result.info.height) == shown
    with Image.open(turned.with_suffix(".jpg")) as picture:
        assert picture.size == shown


@pytest.mark.parametrize(("pixel", "width"), [(Fraction(64, 45), 512), (Fraction(1, 4), 90)])
async def test_a_video_of_oblong_pixels_is_measured_as_it_is_shown(tmp_path: Path, pixel: Fraction, width: int) -> None:
    """A broadcast recorded at 5:4 is shown at 16:9; a portrait does not pass for a broadcast by wide storage."""
    oblong = tmp_path / "oblong.mp4"
    with av.open(str(oblong), "w", options={"movflags": "+faststart"}) as target:
        stream = target.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 360, 288, "yuv420p"
        stream.codec_context.sample_aspect_ratio = pixel
        for _ in range(30):
            target.mux(stream.encode(plain_frame(360, 288)))
        target.mux(stream.encode(None))
    result = await prepared(oblong)
    assert isinstance(result, PreparedMedia)
    assert (result.info.width, result.info.height) == (width, 288)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", MediaFault.NOT_VIDEO),
        (b"<html><body>gone</body></html>" * 50, MediaFault.NOT_VIDEO),
        (b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n" * 9, MediaFault.NOT_VIDEO),
        (b"\x00\x00\x00\x18ftypmp42" + b"\x00" * 4_000, MediaFault.CORRUPT),
        (mp4()[:500], MediaFault.CORRUPT),
        (sound_only(), MediaFault.NO_VIDEO),
    ],
    ids=["empty", "page", "playlist", "zeros", "truncated", "sound only"],
)
async def test_what_is_no_video_is_refused_with_its_fault(tmp_path: Path, content: bytes, fault: MediaFault) -> None:
    result = await prepared(a_file(tmp_path, content))
    assert isinstance(result, UnusableMedia)
    assert result.fault is fault


async def test_damaged_pictures_are_corrupt(tmp_path: Path) -> None:
    content = bytearray(mp4(seconds=8.0))
    start = content.index(b"mdat") + 4
    content[start:] = b"\xff" * (len(content) - start)
    result = await prepared(a_file(tmp_path, bytes(content)))
    assert isinstance(result, UnusableMedia)
    assert result.fault is MediaFault.CORRUPT


async def test_an_absurd_picture_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    result = await prepared(a_file(tmp_path, mp4(seconds=0.3, width=9_000, height=64)))
    assert isinstance(result, UnusableMedia)
    assert result.fault is MediaFault.PICTURE_SIZE


async def test_a_file_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    # Reading from it waits for a writer, however long this process itself has to wait for a processor.
    os.mkfifo(source := tmp_path / "clip.mp4")
    result = await probe_media(source, MediaLimits(timeout=timedelta(milliseconds=1)))
    assert isinstance(result, UnusableMedia)
    assert result.fault is MediaFault.TOO_SLOW


async def test_a_file_that_needs_too_much_memory_ends_only_its_child_process(tmp_path: Path) -> None:
    result = await probe_media(a_file(tmp_path, mp4()), MediaLimits(memory=64 * 2**20))
    assert isinstance(result, UnusableMedia)
    assert result.fault in (MediaFault.CRASHED, MediaFault.CORRUPT)


async def test_many_files_are_opened_at_once(tmp_path: Path) -> None:
    copies = [a_file(tmp_path, mp4(), f"{number}.mp4") for number in range(4)]
    results = await asyncio.gather(*(probe_media(copy) for copy in copies))
    assert all(isinstance(result, MediaInfo) for result in results)


def _packets(path: Path) -> list[bytes]:
    with av.open(str(path)) as container:
        return [bytes(packet) for packet in container.demux(video=0) if packet.size]
