"""Files that hold more than is needed to play them."""

import struct
from pathlib import Path

import av
import pytest

from found_footy.platform.media.mp4_metadata import has_extra_data
from found_footy.platform.media.probe import PreparedMedia, prepare_media
from tests.support.media.small_videos import mp4

PLACE, DEVICE = "+52.5200+013.4050/", "iPhone 15 Pro"


def box(kind: bytes, content: bytes = b"") -> bytes:
    return struct.pack(">I", 8 + len(content)) + kind + content


def written(folder: Path, content: bytes, name: str = "clip.mp4") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def filmed(folder: Path, *, turned: int = 0) -> Path:
    """A video that plays at once, and says where and with what it was filmed."""
    source, target = written(folder, mp4(1), "source.mp4"), folder / "clip.mp4"
    options = {"movflags": "+faststart+use_metadata_tags"}
    with av.open(str(source)) as old, av.open(str(target), "w", format="mp4", container_options=options) as new:
        new.metadata.update({"location": PLACE, "com.apple.quicktime.model": DEVICE})
        stream = new.add_stream_from_template(old.streams.video[0])
        if turned:
            stream.set_display_rotation(turned)
        for packet in old.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                new.mux(packet)
    return target


def packets(path: Path) -> list[bytes]:
    with av.open(str(path)) as container:
        return [bytes(packet) for packet in container.demux(video=0) if packet.dts is not None]


def test_a_video_with_its_index_alone_holds_no_more(tmp_path: Path) -> None:
    assert not has_extra_data(written(tmp_path, mp4(1)))
    assert not has_extra_data(written(tmp_path, mp4(1, faststart=False)))


def with_box(content: bytes, kind: bytes, extra: bytes) -> bytes:
    """`extra` as the last box of the first box of this kind, in the index."""
    place = content.index(kind) - 4
    end = place + int.from_bytes(content[place : place + 4], "big")
    data = content[:end] + extra + content[end:]
    for grown in {kind, b"moov"}:
        data = longer(data, grown, len(extra))
    return data


def longer(data: bytes, kind: bytes, by: int) -> bytes:
    place = data.index(kind) - 4
    length = int.from_bytes(data[place : place + 4], "big")
    return data[:place] + struct.pack(">I", length + by) + data[place + 4 :]


@pytest.mark.parametrize(
    "content",
    [
        mp4(1) + box(b"uuid", b"\xbe" * 16 + b"<x:xmpmeta>"),
        mp4(1) + box(b"free", b"hidden" * 50),
        mp4(1) + box(b"skip", b"hidden" * 50),
        mp4(1) + box(b"moov"),
        mp4(1) + b"not a box",
        mp4(1) + struct.pack(">I", 4) + b"free",
        with_box(mp4(1), b"moov", box(b"meta", bytes(4) + box(b"keys"))),
        with_box(mp4(1), b"moov", box(b"uuid", b"place")),
        with_box(mp4(1), b"moov", box(b"udta", box(b"\xa9xyz", PLACE.encode()))),
        with_box(mp4(1), b"trak", box(b"udta", box(b"name", b"me"))),
        mp4(1).replace(b"vide", b"meta"),
        mp4(1).replace(b"Lavf", b"Mine"),
    ],
    ids=[
        "uuid",
        "free",
        "skip",
        "second index",
        "rest",
        "broken",
        "meta",
        "inner uuid",
        "place",
        "track",
        "data track",
        "tool",
    ],
)
def test_everything_else_is_more(tmp_path: Path, content: bytes) -> None:
    assert has_extra_data(written(tmp_path, content))


@pytest.mark.parametrize("turned", [0, 90])
async def test_a_published_file_does_not_say_where_and_with_what_it_was_filmed(tmp_path: Path, turned: int) -> None:
    source = filmed(tmp_path, turned=turned)
    assert PLACE.encode() in source.read_bytes()
    playable = tmp_path / "playable.mp4"
    made = await prepare_media(source, thumbnail=tmp_path / "clip.jpg", playable=playable)
    assert isinstance(made, PreparedMedia)
    assert made.is_remuxed
    assert not any(word.encode() in playable.read_bytes() for word in (PLACE, DEVICE))
    assert not has_extra_data(playable)
    assert packets(playable) == packets(source)
    again = await prepare_media(playable, thumbnail=tmp_path / "again.jpg", playable=tmp_path / "again.mp4")
    assert isinstance(again, PreparedMedia)
    assert (again.is_remuxed, again.info.rotation) == (False, made.info.rotation)
