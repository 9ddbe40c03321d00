"""Files as phones, broadcasters and strangers make them."""

from pathlib import Path

import numpy as np
import pytest
from av.video.frame import VideoFrame

from found_footy.fingerprint import (
    Fingerprint,
    MatchEvidence,
    Undecodable,
    compare_fingerprints,
    compute_fingerprint,
    frame_sampler,
    nal,
)
from found_footy.platform.errors import NotFound
from tests.support.fingerprint import scenes as s
from tests.support.fingerprint.scenes import Film, Scene
from tests.support.media.hostile_videos import switched

FILM = Scene(33, seconds=3).film()


@pytest.mark.parametrize("codec", ["libvpx-vp9", "libsvtav1"])
def test_other_codecs_that_browsers_play_give_the_same_clip(clip: Path, tmp_path: Path, codec: str) -> None:
    other = compute_fingerprint(s.write(FILM, tmp_path / "other.mp4", codec=codec))
    assert other.duration == pytest.approx(3, abs=0.15)
    assert compare_fingerprints(compute_fingerprint(clip), other).score > 0.8


@pytest.mark.parametrize("codec", ["libx265", "mpeg4", "mpeg2video"])
def test_a_codec_that_browsers_do_not_play_is_never_decoded(tmp_path: Path, codec: str) -> None:
    with pytest.raises(Undecodable, match="play everywhere"):
        compute_fingerprint(s.write(FILM, tmp_path / "other.mp4", codec=codec))


@pytest.mark.parametrize("suffix", ["ts", "mkv", "avi", "flv"])
def test_another_container_is_not_opened_whatever_its_name(tmp_path: Path, suffix: str) -> None:
    other = s.write(FILM, tmp_path / f"other.{suffix}")
    with pytest.raises(Undecodable, match="cannot be read"):
        compute_fingerprint(other.rename(tmp_path / "clip.mp4"))


@pytest.mark.parametrize("options", [{"bf": "0"}, {"bf": "8", "b-pyramid": "strict"}, {"x264-params": "keyint=1"}])
def test_any_way_of_predicting_gives_the_pictures_of_a_full_decode(
    tmp_path: Path, options: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = s.write(FILM, tmp_path / "clip.mp4", options=options)
    quick = frame_sampler.sample_video(path)
    monkeypatch.setattr(nal, "is_disposable", lambda packet, prefix: False)
    assert np.array_equal(quick.pictures, frame_sampler.sample_video(path).pictures)


def test_nothing_is_left_out_of_a_clip_made_of_fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    film = s.resized(FILM, 160, 96)
    fields = s.write(film, tmp_path / "fields.mp4", options={"x264-params": "interlaced=1:bframes=3"})
    monkeypatch.setattr(nal, "is_disposable", lambda packet, prefix: pytest.fail("looked at"))
    assert len(frame_sampler.sample_video(fields).pictures) == 24


def test_frames_at_uneven_times_are_seen_when_they_are_shown(clip: Path, tmp_path: Path) -> None:
    kept = [n for n in range(75) if n % 7 not in (2, 3, 5)]
    uneven = s.write(FILM.but(FILM.pictures[kept]), tmp_path / "uneven.mp4", times=kept)
    found = compare_fingerprints(compute_fingerprint(clip), compute_fingerprint(uneven))
    assert found.score > 0.8
    assert found.offset == 0


def test_a_clip_of_one_frame_is_a_still_clip(tmp_path: Path) -> None:
    one, same, other = (
        compute_fingerprint(s.write(s.still(s.card(text, seed=seed), 0.04), tmp_path / f"{number}.mp4"))
        for number, (text, seed) in enumerate([("1 - 0", 4), ("1 - 0", 4), ("2 - 2", 5)])
    )
    assert one.duration == pytest.approx(0.04, abs=0.01)
    assert Fingerprint.from_bytes(one.to_bytes()) == one
    assert compare_fingerprints(one, same).evidence is MatchEvidence.STILL
    assert not compare_fingerprints(one, other).matched


def test_minutes_of_video_are_fingerprinted_and_a_piece_is_found_in_them(tmp_path: Path) -> None:
    film = Scene(36, seconds=100, width=64, height=36, fps=8).film()
    long = compute_fingerprint(s.write(film, tmp_path / "long.mp4"))
    found = compare_fingerprints(long, compute_fingerprint(s.write(s.trimmed(film, 61, 69), tmp_path / "piece.mp4")))
    assert len(long.views[0]) == 800 - 4
    assert found.matched
    assert found.offset == pytest.approx(61, abs=0.2)


@pytest.mark.parametrize(
    "playlist",
    ["#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{}\n#EXT-X-ENDLIST\n", "ffconcat version 1.0\nfile {}\n"],
)
@pytest.mark.parametrize("name", ["list.mp4", "list.m3u8"])
def test_a_file_that_names_other_files_is_refused(clip: Path, playlist: str, name: str) -> None:
    path = clip.with_name(name)
    path.write_text(playlist.format(clip.name), encoding="ascii")
    with pytest.raises(Undecodable):
        compute_fingerprint(path)


@pytest.mark.parametrize("name", ["concat:a.mp4|b.mp4", "http:clip.mp4", "100 %d.mp4"])
def test_a_name_is_a_name_whatever_it_looks_like(clip: Path, name: str) -> None:
    with pytest.raises(NotFound):
        compute_fingerprint(name)
    clip.rename(clip.with_name(name.replace("|", "")))
    assert compute_fingerprint(clip.with_name(name.replace("|", ""))).duration == pytest.approx(3)


def test_a_change_of_the_pictures_size_is_followed_up_to_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "clip.mp4"
    path.write_bytes(switched((320, 180), (640, 360)))
    assert compute_fingerprint(path).duration == pytest.approx(4.0, abs=0.2)
    path.write_bytes(switched((320, 180), (6000, 6000)))
    sizes: set[int] = set()
    offer = frame_sampler._GridSampler.offer_frame

    def watched(taken: frame_sampler._GridSampler, frame: VideoFrame, plan: frame_sampler._DecodePlan) -> None:
        sizes.add(frame.width)
        offer(taken, frame, plan)

    monkeypatch.setattr(frame_sampler._GridSampler, "offer_frame", watched)
    compute_fingerprint(path)
    assert sizes == {320}, "the decoder made no larger picture"
    monkeypatch.setattr(frame_sampler, "DECODER_OPTIONS", {})
    with pytest.raises(Undecodable, match="6000x6000"):
        compute_fingerprint(path)


def test_a_clip_without_any_distinctive_picture_is_still_fingerprinted(tmp_path: Path) -> None:
    blank = Film(np.full((30, 36, 64), 128, np.uint8), 25)
    made = compute_fingerprint(s.write(blank, tmp_path / "blank.mp4"))
    assert not compare_fingerprints(made, made).matched
