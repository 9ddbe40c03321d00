import struct
from pathlib import Path

import numpy as np
import pytest

from found_footy.fingerprint import (
    Undecodable,
    VideoTooLong,
    compare_fingerprints,
    compute_fingerprint,
    frame_sampler,
    nal,
)
from found_footy.platform.errors import NotFound
from tests.support.fingerprint import scenes as s
from tests.support.fingerprint.scenes import Scene
from tests.support.media.small_videos import sound_only


def test_leaving_out_disposable_packets_changes_no_picture(clip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left_out: list[bool] = []
    real = nal.is_disposable

    def watched(packet: memoryview, prefix: int) -> bool:
        left_out.append(real(packet, prefix))
        return left_out[-1]

    monkeypatch.setattr(nal, "is_disposable", watched)
    quick = frame_sampler.sample_video(clip)
    monkeypatch.setattr(nal, "is_disposable", lambda packet, prefix: False)
    full = frame_sampler.sample_video(clip)
    assert sum(left_out) > 10
    assert np.array_equal(quick.pictures, full.pictures)
    assert quick.duration == full.duration


def test_a_grid_point_shows_the_first_frame_at_or_after_it(tmp_path: Path) -> None:
    levels = np.arange(50, dtype=np.uint8) * 5
    film = s.Film(np.broadcast_to(levels[:, None, None], (50, 64, 64)), fps=25)
    sampled = frame_sampler.sample_video(s.write(film, tmp_path / "steps.mp4", crf=1))
    due = [int(np.ceil(k * 0.125 * 25)) for k in range(len(sampled.pictures))]
    shown = sampled.pictures.mean(axis=(1, 2))
    assert len(due) == 16
    assert shown == pytest.approx(levels[due], abs=2)
    assert sampled.duration == pytest.approx(2.0, abs=0.01)


def test_a_frame_shown_for_long_fills_its_grid_points(tmp_path: Path) -> None:
    slow = s.at_rate(Scene(35, seconds=4).film(), 2)
    assert len(frame_sampler.sample_video(s.write(slow, tmp_path / "slow.mp4")).pictures) == 29


def test_a_clip_turned_by_its_container_is_seen_as_it_is_shown(clip: Path, tmp_path: Path) -> None:
    film = Scene(33, seconds=3).film()
    lying = s.write(film.but(np.rot90(film.pictures, 1, axes=(1, 2))), tmp_path / "lying.mp4")
    data = bytearray(lying.read_bytes())
    matrix = data.index(b"tkhd") + 44
    data[matrix : matrix + 36] = struct.pack(">9i", 0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000)
    lying.write_bytes(data)
    assert frame_sampler.sample_video(lying).aspect == pytest.approx(16 / 9, rel=0.02)
    found = compare_fingerprints(compute_fingerprint(clip), compute_fingerprint(lying))
    assert (found.matched, found.mirrored) == (True, False)


def test_progress_is_reported_every_few_grid_points_and_at_the_end(clip: Path) -> None:
    reported: list[int] = []
    compute_fingerprint(clip, progress=reported.append)
    assert reported == [5, 10, 15, 20, 24]


def test_what_progress_raises_ends_the_work(clip: Path) -> None:
    def cancel(done: int) -> None:
        raise TimeoutError(f"cancelled after {done}")

    with pytest.raises(TimeoutError, match="after 5"):
        compute_fingerprint(clip, progress=cancel)


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        compute_fingerprint(tmp_path / "none.mp4")


@pytest.mark.parametrize("content", [b"", b"<html>not a video</html>", bytes(5000)])
def test_what_is_no_video_is_undecodable(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "clip.mp4"
    path.write_bytes(content)
    with pytest.raises(Undecodable):
        compute_fingerprint(path)


def test_sound_alone_is_undecodable(tmp_path: Path) -> None:
    path = tmp_path / "sound.mp4"
    path.write_bytes(sound_only())
    with pytest.raises(Undecodable, match="no video"):
        compute_fingerprint(path)


def test_a_file_cut_off_in_the_middle_is_fingerprinted_as_far_as_it_goes(tmp_path: Path) -> None:
    options = {"movflags": "+faststart"}
    whole = s.write(Scene(34, seconds=4).film(), tmp_path / "whole.mp4", container=options)
    half = tmp_path / "half.mp4"
    half.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    part = compute_fingerprint(half)
    assert compare_fingerprints(compute_fingerprint(whole), part).matched


def test_a_file_full_of_damaged_packets_is_undecodable(clip: Path) -> None:
    data = bytearray(clip.read_bytes())
    pictures = slice(data.index(b"mdat") + 8, data.index(b"moov") - 4)
    data[pictures] = np.random.default_rng(1).bytes(pictures.stop - pictures.start)
    clip.write_bytes(data)
    with pytest.raises(Undecodable):
        compute_fingerprint(clip)


def test_more_video_than_allowed_is_refused_before_it_is_decoded(clip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_sampler, "_decode_frames", lambda *_: pytest.fail("decoded"))
    with pytest.raises(VideoTooLong, match="at most 2 s"):
        frame_sampler.sample_video(clip, max_seconds=2)


SLICE, REFERENCE_SLICE, PARAMETERS, INFORMATION = b"\x01x", b"\x61x", b"\x67x", b"\x06x"


@pytest.mark.parametrize(
    ("units", "disposable"),
    [
        ([SLICE], True),
        ([SLICE, SLICE], True),
        ([INFORMATION, SLICE], True),
        ([REFERENCE_SLICE], False),
        ([SLICE, REFERENCE_SLICE], False),
        ([PARAMETERS, INFORMATION], False),
        ([], False),
    ],
)
@pytest.mark.parametrize("prefix", [0, 2, 4])
def test_a_packet_is_disposable_if_all_its_slices_are(units: list[bytes], disposable: bool, prefix: int) -> None:
    marks = [len(unit).to_bytes(prefix, "big") if prefix else b"\0\0\1" for unit in units]
    packet = b"".join(mark + unit for mark, unit in zip(marks, units, strict=True))
    assert nal.is_disposable(packet, prefix) is disposable


@pytest.mark.parametrize("packet", [b"\0\0\0\x09\x01x", b"\0\0\0\0\x01x", b"\0\0", b""])
def test_a_packet_that_cannot_be_understood_is_kept(packet: bytes) -> None:
    assert not nal.is_disposable(packet, 4)


def test_the_length_prefix_is_read_from_the_stream_header() -> None:
    assert nal.length_prefix_size(b"\x01\x64\x00\x1e\xff\xe1") == 4
    assert nal.length_prefix_size(b"\x00\x00\x00\x01\x67") == 0
    assert nal.length_prefix_size(None) == 0
