"""The pictures that a reader looks at are taken out by a child process; previews are made by another."""

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from found_footy.platform.media.frames import (
    ExtractedFrame,
    ExtractedFrames,
    extract_adjacent_frames,
    extract_frames,
    extract_middle_frame,
)
from found_footy.platform.media.probe import (
    MediaFault,
    MediaInfo,
    MediaLimits,
    PreparedMedia,
    UnusableMedia,
    prepare_media,
    probe_media,
)
from tests.support.media.hostile_videos import endless, gone_bad, many_streams, picture_of, turned
from tests.support.media.small_videos import mp4, sound_only

HOSTILE: list[tuple[str, Callable[[], bytes], MediaFault]] = [
    ("zero length", lambda: b"", MediaFault.NOT_VIDEO),
    ("page", lambda: b"<html><body>gone</body></html>" * 50, MediaFault.NOT_VIDEO),
    ("zeros", lambda: b"\x00\x00\x00\x18ftypmp42" + b"\x00" * 4_000, MediaFault.CORRUPT),
    ("truncated", lambda: mp4()[:500], MediaFault.CORRUPT),
    ("pictures gone bad", gone_bad, MediaFault.CORRUPT),
    ("sound only", sound_only, MediaFault.NO_VIDEO),
    ("10,000 by 10,000", lambda: picture_of(10_000, 10_000), MediaFault.PICTURE_SIZE),
    ("50 streams", many_streams, MediaFault.TOO_MANY_STREAMS),
]


def a_file(folder: Path, content: bytes) -> Path:
    path = folder / "clip.mp4"
    path.write_bytes(content)
    return path


async def taken(source: Path, folder: Path) -> ExtractedFrames:
    pictures = await extract_frames(source, folder)
    assert isinstance(pictures, ExtractedFrames)
    return pictures


async def half_of(source: Path, folder: Path) -> ExtractedFrame:
    picture = await extract_middle_frame(source, folder)
    assert isinstance(picture, ExtractedFrame)
    return picture


def decoded(source: Path) -> dict[float, npt.NDArray[np.uint8]]:
    with av.open(str(source)) as container:
        return {
            round(float(f.time or 0), 3): np.asarray(f.to_ndarray(format="rgb24")) for f in container.decode(video=0)
        }


async def test_the_pictures_are_those_of_a_full_decode_at_a_quarter_half_and_three_quarters(tmp_path: Path) -> None:
    source = a_file(tmp_path, mp4(seconds=12.0))
    pictures, half, every = await taken(source, tmp_path), await half_of(source, tmp_path), decoded(source)
    assert pictures.half is None, "it is taken out only when it is wanted"
    large = [pictures.quarter, half, pictures.three_quarters]
    assert [one.at for one in large if one] == [3.0, 6.0, 9.0]
    for one in large:
        assert one is not None
        assert np.array_equal(one.pixels, every[one.at])


def with_key_frames_every(seconds: float, source: Path, target: Path) -> Path:
    with av.open(str(source)) as old, av.open(str(target), "w") as new:
        stream = new.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 320, 180, "yuv420p"
        every = str(round(seconds * 10))
        stream.codec_context.options = {"g": every, "keyint_min": every, "sc_threshold": "0", "bf": "3"}
        for frame in old.decode(video=0):
            frame.pict_type = av.video.frame.PictureType.NONE
            new.mux(stream.encode(frame))
        new.mux(stream.encode(None))
    return target


async def test_a_key_frame_within_a_tenth_of_the_length_is_used(tmp_path: Path) -> None:
    source = with_key_frames_every(3.5, a_file(tmp_path, mp4(seconds=12.0)), tmp_path / "keys.mp4")
    pictures, half, every = await taken(source, tmp_path), await half_of(source, tmp_path), decoded(source)
    large = [pictures.quarter, half, pictures.three_quarters]
    assert [one.at for one in large if one] == [3.5, 7.0, 9.0], "the last has none near enough"
    for one in large:
        assert one is not None
        assert np.array_equal(one.pixels, every[one.at])


async def test_small_pictures_are_taken_on_the_way_to_the_others(tmp_path: Path) -> None:
    source = with_key_frames_every(3.5, a_file(tmp_path, mp4(seconds=12.0)), tmp_path / "keys.mp4")
    times = [one.at for one in (await taken(source, tmp_path)).small]
    assert len(times) == 8
    assert 7.0 <= times[0] < 7.5
    assert times[-1] == pytest.approx(9.4, abs=0.2), "at nine, two seconds after a key frame, or just past it"


async def test_small_pictures_are_a_third_of_a_second_apart_and_no_larger_than_asked(tmp_path: Path) -> None:
    pictures = await taken(a_file(tmp_path, mp4(seconds=3.2, width=800, height=450)), tmp_path)
    assert len(pictures.small) == 8
    assert {one.pixels.shape for one in pictures.small} == {(360, 640, 3)}
    apart = np.diff([one.at for one in pictures.small])
    assert apart.min() >= 0.25
    assert apart.max() <= 0.45


@pytest.mark.parametrize(("at", "beside"), [(3.0, 5.0), (11.0, 9.0), (0.5, 2.5)])
async def test_a_picture_beside_another_is_two_seconds_from_it_with_small_ones_on_the_way(
    tmp_path: Path, at: float, beside: float
) -> None:
    source = a_file(tmp_path, mp4(seconds=12.0))
    pictures = await extract_adjacent_frames(source, tmp_path, at)
    assert isinstance(pictures, ExtractedFrames)
    assert pictures.beside is not None
    assert pictures.beside.at == pytest.approx(beside, abs=0.11)
    assert np.array_equal(pictures.beside.pixels, decoded(source)[pictures.beside.at])
    times = [one.at for one in pictures.small]
    assert len(times) >= 5
    assert min(at, beside) - 0.11 <= times[0]
    assert times[-1] <= max(at, beside) + 0.11
    assert (pictures.quarter, pictures.half, pictures.three_quarters) == (None, None, None)


async def test_a_picture_beside_another_of_a_clip_that_is_too_short_is_its_first(tmp_path: Path) -> None:
    pictures = await extract_adjacent_frames(a_file(tmp_path, mp4(seconds=1.0)), tmp_path, 0.7)
    assert isinstance(pictures, ExtractedFrames)
    assert pictures.beside is not None
    assert pictures.beside.at == 0.0


async def test_a_short_clip_gives_what_it_has(tmp_path: Path) -> None:
    pictures = await taken(a_file(tmp_path, mp4(seconds=1.0)), tmp_path)
    assert pictures.quarter is not None
    assert 1 <= len(pictures.small) <= 3
    assert pictures.small[0].pixels.shape == (180, 320, 3)


async def test_a_video_filmed_sideways_is_seen_upright(tmp_path: Path) -> None:
    source = turned(a_file(tmp_path, mp4()), tmp_path / "turned.mp4")
    pictures = await taken(source, tmp_path)
    assert pictures.quarter is not None
    assert pictures.quarter.pixels.shape == (320, 180, 3)
    assert (await half_of(source, tmp_path)).pixels.shape == (320, 180, 3)
    preview = tmp_path / "preview.mp4"
    await prepare_media(source, thumbnail=tmp_path / "t.jpg", playable=tmp_path / "p.mp4", preview=preview)
    info = await probe_media(preview)
    assert isinstance(info, MediaInfo)
    assert (info.width, info.height) == (180, 320)


@pytest.mark.parametrize(("content", "fault"), [case[1:] for case in HOSTILE], ids=[case[0] for case in HOSTILE])
async def test_an_undecodable_video_is_refused_with_its_fault(
    tmp_path: Path, content: Callable[[], bytes], fault: MediaFault
) -> None:
    source = a_file(tmp_path, content())
    preview = tmp_path / "preview.mp4"
    for result in (
        await extract_frames(source, tmp_path),
        await extract_middle_frame(source, tmp_path),
        await extract_adjacent_frames(source, tmp_path, 1.0),
        await prepare_media(source, thumbnail=tmp_path / "t.jpg", playable=tmp_path / "p.mp4", preview=preview),
    ):
        assert isinstance(result, UnusableMedia)
        assert result.fault is fault
        assert result.detail
    assert not preview.exists()


async def test_a_file_that_claims_to_last_for_days_is_measured_and_left_at_once(tmp_path: Path) -> None:
    source = a_file(tmp_path, endless())
    info = await probe_media(source)
    assert isinstance(info, MediaInfo)
    assert info.duration > 100_000
    assert isinstance(await extract_frames(source, tmp_path), ExtractedFrames)


async def test_pictures_that_take_too_long_are_given_up(tmp_path: Path) -> None:
    # Reading from it waits for a writer, however long this process itself has to wait for a processor.
    os.mkfifo(source := tmp_path / "clip.mp4")
    result = await extract_frames(source, tmp_path, MediaLimits(timeout=timedelta(milliseconds=1)))
    assert isinstance(result, UnusableMedia)
    assert result.fault is MediaFault.TOO_SLOW


async def test_damage_in_the_middle_loses_only_the_pictures_it_hits(tmp_path: Path) -> None:
    content = bytearray(mp4(seconds=12.0))
    start = content.index(b"mdat") + 4
    third = (len(content) - start) * 2 // 3
    content[start + third :] = b"\xff" * (len(content) - start - third)
    pictures = await extract_frames(a_file(tmp_path, bytes(content)), tmp_path)
    assert isinstance(pictures, ExtractedFrames)
    assert pictures.quarter is not None


async def test_the_preview_is_a_short_small_silent_loop(tmp_path: Path) -> None:
    source, preview = a_file(tmp_path, mp4(seconds=8.0, width=640, height=360)), tmp_path / "preview.mp4"
    result = await prepare_media(source, thumbnail=tmp_path / "t.jpg", playable=tmp_path / "p.mp4", preview=preview)
    assert isinstance(result, PreparedMedia)
    assert result.has_preview
    info = await probe_media(preview)
    assert isinstance(info, MediaInfo)
    assert (info.width, info.height, info.codec, info.has_audio) == (320, 180, "h264", False)
    assert 1.0 < info.duration <= 3.1
    assert info.size < 100_000


async def test_a_preview_that_cannot_be_made_does_not_lose_the_clip(tmp_path: Path) -> None:
    source = a_file(tmp_path, mp4())
    nowhere = source / "preview.mp4"
    result = await prepare_media(source, thumbnail=tmp_path / "t.jpg", playable=tmp_path / "p.mp4", preview=nowhere)
    assert isinstance(result, PreparedMedia)
    assert not result.has_preview
    with Image.open(tmp_path / "t.jpg") as picture:
        assert picture.size == (320, 180)
