"""Files that want another decoder, another file or more memory than a clip needs are refused, each with its fault."""

import errno
import json
import resource
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import av
import pytest

from found_footy.fingerprint import frame_sampler
from found_footy.platform.media import frames, probe
from found_footy.platform.media.children.decoding import open_video
from found_footy.platform.media.decode_rules import (
    DECODER_OPTIONS,
    INPUT_OPTIONS,
    MAX_EXTRACTED_SIDE,
    check_picture_size,
)
from found_footy.platform.media.frames import ExtractedFrames, extract_frames
from found_footy.platform.media.probe import (
    MediaFault,
    MediaInfo,
    PreparedMedia,
    UnusableMedia,
    prepare_media,
    probe_media,
)
from tests.support.media.hostile_videos import behind_a_mark, encoded, picture_of, switched, with_metadata
from tests.support.media.small_videos import mp4

OTHER_CODECS = [
    "libx265",
    "mpeg4",
    "mjpeg",
    "prores",
    "png",
    "qtrle",
    "jpeg2000",
    "cinepak",
    "svq1",
    "h263",
    "rawvideo",
]


def a_file(folder: Path, content: bytes, name: str = "clip.mp4") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


async def refused(source: Path, folder: Path) -> set[MediaFault]:
    """The faults that every program finds in it."""
    (out := folder / "out").mkdir()
    results = (
        await prepare_media(source, thumbnail=out / "t.jpg", playable=out / "p.mp4", preview=out / "v.mp4"),
        await extract_frames(source, out),
    )
    for result in results:
        assert isinstance(result, UnusableMedia), result
    return {result.fault for result in results if isinstance(result, UnusableMedia)}


@pytest.mark.parametrize("codec", OTHER_CODECS)
async def test_what_browsers_do_not_play_is_not_decoded(tmp_path: Path, codec: str) -> None:
    source = a_file(tmp_path, encoded(codec))
    assert await refused(source, tmp_path) == {MediaFault.UNSUPPORTED_CODEC}


@pytest.mark.parametrize("pixel_format", ["yuv444p", "yuv422p", "yuv420p10le"])
async def test_more_colour_or_bits_than_browsers_play_is_refused(tmp_path: Path, pixel_format: str) -> None:
    source = a_file(tmp_path, encoded("libx264", pixel_format, container="mp4"))
    assert await refused(source, tmp_path) == {MediaFault.UNSUPPORTED_CODEC}


@pytest.mark.parametrize("codec", ["libx264", "libvpx-vp9", "libsvtav1"])
async def test_what_browsers_play_is_taken_and_its_index_moved(tmp_path: Path, codec: str) -> None:
    source = a_file(tmp_path, encoded(codec, "yuv420p", container="mp4"))
    result = await prepare_media(source, thumbnail=tmp_path / "t.jpg", playable=tmp_path / "p.mp4")
    assert isinstance(result, PreparedMedia), result
    assert result.is_remuxed
    again = await probe_media(tmp_path / "p.mp4")
    assert isinstance(again, MediaInfo)
    assert again.codec == result.info.codec
    assert isinstance(await extract_frames(tmp_path / "p.mp4", tmp_path), ExtractedFrames)


@pytest.mark.parametrize("then", [(6000, 6000), (8200, 64)], ids=["by area", "by side"])
async def test_a_picture_that_grows_in_the_middle_never_reaches_the_worker(
    tmp_path: Path, then: tuple[int, int]
) -> None:
    (out := tmp_path / "out").mkdir()
    source = a_file(tmp_path, switched((640, 360), then))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = await extract_frames(source, out)
    assert isinstance(result, ExtractedFrames | UnusableMedia)
    if isinstance(result, UnusableMedia):
        assert result.fault is MediaFault.PICTURE_SIZE
    else:
        large = [one for one in (result.quarter, result.half, result.three_quarters) if one]
        assert {one.pixels.shape for one in large} == {(360, 640, 3)}
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000, "kilobytes"


def test_the_decoder_allocates_no_picture_beyond_the_limit(tmp_path: Path) -> None:
    with open_video(a_file(tmp_path, switched((640, 360), (6000, 6000)))) as (container, stream):
        sizes: set[tuple[int, int]] = set()
        with pytest.raises(av.InvalidDataError):
            sizes.update((frame.width, frame.height) for frame in container.decode(stream))
    assert sizes <= {(640, 360)}


async def test_a_format_that_changes_in_the_middle_is_refused(tmp_path: Path) -> None:
    (out := tmp_path / "out").mkdir()
    result = await extract_frames(a_file(tmp_path, switched((640, 360), (640, 360), "yuv444p")), out)
    assert isinstance(result, UnusableMedia)
    assert result.fault is MediaFault.UNSUPPORTED_CODEC


@pytest.mark.parametrize(
    ("width", "height", "fits"),
    [
        (3840, 2160, True),
        (8192, 2025, True),
        (8192, 2026, False),
        (8193, 64, False),
        (64, 8193, False),
        (4072, 4072, True),
        (4100, 4100, False),
        (0, 100, False),
        (100, -1, False),
    ],
)
def test_a_picture_has_a_limit_per_side_and_by_area(width: int, height: int, fits: bool) -> None:
    assert (check_picture_size(width, height) is None) is fits


async def test_a_picture_too_large_by_area_alone_is_refused_by_its_header(tmp_path: Path) -> None:
    assert await refused(a_file(tmp_path, picture_of(4200, 4200)), tmp_path) == {MediaFault.PICTURE_SIZE}


async def test_large_pictures_are_made_smaller_before_they_leave_the_child(tmp_path: Path) -> None:
    pictures = await extract_frames(a_file(tmp_path, mp4(seconds=0.5, width=3840, height=2160)), tmp_path)
    assert isinstance(pictures, ExtractedFrames)
    assert pictures.quarter is not None
    assert pictures.quarter.pixels.shape == (1080, MAX_EXTRACTED_SIDE, 3)


async def test_another_container_behind_the_mark_of_an_mp4_is_not_opened(tmp_path: Path) -> None:
    stream = behind_a_mark(encoded("libx264", "yuv420p", container="mpegts"))
    with av.open(str(a_file(tmp_path, stream, "any.mp4"))) as whoever_guesses:
        assert whoever_guesses.format.name == "mpegts"
    assert await refused(a_file(tmp_path, stream), tmp_path) == {MediaFault.CORRUPT}


PLAYLISTS = [
    "ffconcat version 1.0\nfile {}\n",
    "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{}\n#EXT-X-ENDLIST\n",
]


@pytest.mark.parametrize("playlist", PLAYLISTS, ids=["concat", "HLS"])
async def test_a_playlist_called_a_video_is_refused(tmp_path: Path, playlist: str) -> None:
    a_file(tmp_path, mp4(), "other.mp4")
    source = a_file(tmp_path, playlist.format("other.mp4").encode())
    assert await refused(source, tmp_path) == {MediaFault.NOT_VIDEO}


@pytest.mark.parametrize("scheme", ["http", "tcp", "concat", "subfile", "data", "pipe"])
def test_nothing_but_files_is_opened_with_these_options(scheme: str) -> None:
    """As a reference inside a file would be, were the demuxer to follow it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        address = (
            f"{scheme}://127.0.0.1:{server.getsockname()[1]}/a.mp4" if scheme in ("http", "tcp") else f"{scheme}:0"
        )
        with pytest.raises((av.FFmpegError, OSError, ValueError)) as refusal:
            av.open(address, format="mp4", options=INPUT_OPTIONS, timeout=5.0)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert getattr(refusal.value, "errno", None) == errno.EINVAL, "not on the list"


@pytest.mark.parametrize("opening", [open_video, frame_sampler._open_video])
def test_every_opening_of_a_file_uses_these_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opening: Callable[[Path], AbstractContextManager[object]]
) -> None:
    source = a_file(tmp_path, mp4())
    reported: list[dict[str, Any]] = []
    really = av.open

    def watched(*names: Any, **how: Any) -> Any:
        reported.append(how)
        return really(*names, **how)

    monkeypatch.setattr(av, "open", watched)
    with opening(source):
        pass
    assert [(how["options"], how["format"]) for how in reported] == [(INPUT_OPTIONS, "mp4")]


def test_a_decoder_that_is_not_on_the_list_does_not_open(tmp_path: Path) -> None:
    with av.open(str(a_file(tmp_path, encoded("mpeg4"))), options=INPUT_OPTIONS) as container:
        container.streams.video[0].codec_context.options = DECODER_OPTIONS
        with pytest.raises(av.FFmpegError):
            next(container.decode(video=0))
    with av.open(str(tmp_path / "clip.mp4")) as container:
        assert next(container.decode(video=0)).width == 320


@pytest.mark.parametrize("megabytes", [1, 20])
async def test_a_flood_of_metadata_needs_no_more_memory_than_the_file(tmp_path: Path, megabytes: int) -> None:
    result = await probe_media(a_file(tmp_path, with_metadata(mp4(), megabytes)))
    assert isinstance(result, MediaInfo | UnusableMedia)


def entry(**changed: Any) -> dict[str, Any]:
    plain = {
        "kind": "quarter",
        "at": 1.0,
        "file": "quarter-1.rgb",
        "width": 4,
        "height": 2,
        "stride": 12,
        "rotation": 0,
    }
    return {**plain, **changed}


LIES: list[Callable[[Path], dict[str, Any]]] = [
    lambda folder: entry(file="../secret.rgb"),
    lambda folder: entry(file=str(folder / "secret")),
    lambda folder: entry(width=100_000, stride=300_000),
    lambda folder: entry(height=100_000),
    lambda folder: entry(stride=10**9),
    lambda folder: entry(stride=3),
    lambda folder: entry(height=3),
    lambda folder: entry(at="soon"),
    lambda folder: entry(rotation=float("inf")),
    lambda folder: entry(file=7),
    lambda folder: {},
]


async def test_a_picture_larger_than_it_was_to_be_is_not_taken_from_a_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = MAX_EXTRACTED_SIDE + 1
    a_file(tmp_path, bytes(2 * 3 * wide), "quarter-1.rgb")

    async def child(*_: object) -> dict[str, Any]:
        return {"pictures": [entry(width=wide, stride=3 * wide)]}

    monkeypatch.setattr(frames, "run_in_sandbox", child)
    assert isinstance(await extract_frames(tmp_path / "clip.mp4", tmp_path), UnusableMedia)


@pytest.mark.parametrize("lie", LIES)
async def test_the_output_of_a_child_about_its_pictures_reaches_no_other_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lie: Callable[[Path], dict[str, Any]]
) -> None:
    (out := tmp_path / "out").mkdir()
    for name in ("secret.rgb", "secret"):
        a_file(tmp_path, bytes(24), name)
    a_file(out, bytes(24), "quarter-1.rgb")
    said: dict[str, Any] = {"pictures": [entry()]}

    async def child(*_: object) -> dict[str, Any]:
        return json.loads(json.dumps(said))  # type: ignore[no-any-return]

    monkeypatch.setattr(frames, "run_in_sandbox", child)
    assert isinstance(await extract_frames(tmp_path / "clip.mp4", out), ExtractedFrames)
    said["pictures"] = [lie(tmp_path)]
    result = await extract_frames(tmp_path / "clip.mp4", out)
    assert isinstance(result, UnusableMedia)
    assert result.fault is MediaFault.CRASHED


FACTS: dict[str, Any] = {
    "duration": 10.0,
    "width": 1280,
    "height": 720,
    "rotation": 0,
    "fps": 25.0,
    "codec": "h264",
    "bitrate": 1000,
    "size": 9000,
    "has_audio": True,
    "remuxed": False,
    "preview": False,
}


@pytest.mark.parametrize(
    "lie",
    [
        {"duration": float("nan")},
        {"duration": "10"},
        {"width": "1280"},
        {"width": 1280.5},
        {"height": -720},
        {"rotation": None},
        {"fps": float("inf")},
        {"codec": ["h264"]},
        {"codec": "x" * 9000},
        {"size": True},
        {"has_audio": "yes"},
        {"more": 1},
        {"width": 0},
        {"height": 0},
    ],
)
async def test_the_output_of_a_child_about_a_video_is_validated(
    monkeypatch: pytest.MonkeyPatch, lie: dict[str, Any]
) -> None:
    said = dict(FACTS)

    async def child(*_: Any) -> dict[str, Any]:
        return dict(said)

    monkeypatch.setattr(probe, "run_in_sandbox", child)
    assert isinstance(await probe_media(Path("clip.mp4")), MediaInfo)
    said |= lie
    found = await probe_media(Path("clip.mp4"))
    assert isinstance(found, UnusableMedia)
    assert found.fault is MediaFault.CRASHED
