"""Fingerprints are made by a child process; a file that has none costs only itself."""

import asyncio
import base64
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from found_footy.clips.decoding import DecoderFailed
from found_footy.clips.fingerprints import maker
from found_footy.clips.fingerprints.maker import FingerprintMaker
from found_footy.clips.messages import ClipFile
from found_footy.fingerprint import MOTION_VERSION, DenseFingerprint, Fingerprint, Undecodable, compute_fingerprint
from found_footy.platform.media.probe import MediaFault, MediaLimits, UnusableMedia
from found_footy.platform.objects import ObjectStore
from tests.support.media.hostile_videos import gone_bad
from tests.support.media.small_videos import mp4

CLIP = ClipFile("a" * 32, "scratch/e/a.mp4", "https://x.com/1", 320, 180, 4.0, 1000, 800, 10.0)


@dataclass
class MemoryStore:
    """An object store in memory."""

    kept: dict[str, bytes] = field(default_factory=dict)

    async def put_bytes(self, key: str, data: bytes, **about: Any) -> None:
        del about
        self.kept[key] = data


def a_maker(post_list: MemoryStore, **limits: Any) -> FingerprintMaker:
    return FingerprintMaker(
        cast("ObjectStore", post_list), 2, MediaLimits(**{"timeout": timedelta(seconds=60), **limits})
    )


def a_file(folder: Path, content: bytes) -> Path:
    path = folder / "clip.mp4"
    path.write_bytes(content)
    return path


async def test_the_fingerprint_is_stored_beside_the_clip_and_is_that_of_the_file(tmp_path: Path) -> None:
    post_list, path = MemoryStore(), a_file(tmp_path, mp4(1))
    made = await a_maker(post_list).make_fingerprint(CLIP, path)
    expected = compute_fingerprint(path)
    assert made.hash_version == MOTION_VERSION
    assert DenseFingerprint.from_text(made.perceptual_hash) == expected.dense
    assert Fingerprint.from_bytes(post_list.kept["scratch/e/a.print"]) == expected


async def test_the_same_bytes_are_fingerprinted_once_and_stored_beside_each_clip(tmp_path: Path) -> None:
    post_list = MemoryStore()
    made_by = a_maker(post_list)
    first = await made_by.make_fingerprint(CLIP, a_file(tmp_path, mp4(1)))
    repost = replace(CLIP, scratch_key="scratch/f/a.mp4")
    assert await made_by.make_fingerprint(repost, tmp_path / "gone.mp4") == first
    assert post_list.kept["scratch/f/a.print"] == post_list.kept["scratch/e/a.print"]


async def test_damaged_pictures_have_no_fingerprint_and_that_is_final(tmp_path: Path) -> None:
    post_list = MemoryStore()
    with pytest.raises(Undecodable):
        await a_maker(post_list).make_fingerprint(CLIP, a_file(tmp_path, gone_bad()))
    assert not Undecodable.retryable
    assert post_list.kept == {}


async def test_a_fingerprint_that_takes_too_long_is_counted_like_a_crash(tmp_path: Path) -> None:
    with pytest.raises(DecoderFailed, match="too_slow"):
        await a_maker(MemoryStore(), timeout=timedelta(milliseconds=10)).make_fingerprint(
            CLIP, a_file(tmp_path, mp4(1))
        )


async def test_a_file_that_needs_too_much_memory_ends_only_its_child_process(tmp_path: Path) -> None:
    with pytest.raises(DecoderFailed, match="crashed"):
        await a_maker(MemoryStore(), memory=96 * 2**20).make_fingerprint(CLIP, a_file(tmp_path, mp4(1)))


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"print": None},
        {"print": 7},
        {"print": "not base64 at all"},
        {"print": base64.b64encode(b"not a fingerprint").decode()},
        {"print": base64.b64encode(b"FPR1" + b"another version!" + bytes(64)).decode()},
    ],
)
async def test_what_is_no_fingerprint_is_a_crash_of_the_decoder_and_is_not_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: dict[str, Any]
) -> None:
    async def taken_over(*order: object) -> dict[str, Any]:
        del order
        return said

    monkeypatch.setattr(maker, "run_in_sandbox", taken_over)
    post_list = MemoryStore()
    with pytest.raises(DecoderFailed, match="is invalid"):
        await a_maker(post_list).make_fingerprint(CLIP, tmp_path)
    assert post_list.kept == {}


async def test_two_are_made_at_once_and_the_others_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now, most = 0, 0

    async def a_child(*order: object) -> UnusableMedia:
        nonlocal now, most
        del order
        now += 1
        most = max(most, now)
        for _ in range(3):
            await asyncio.sleep(0)
        now -= 1
        return UnusableMedia(MediaFault.CORRUPT, "of no interest here")

    monkeypatch.setattr(maker, "run_in_sandbox", a_child)
    making = a_maker(MemoryStore())
    ends = await asyncio.gather(*(making.make_fingerprint(CLIP, tmp_path) for _ in range(6)), return_exceptions=True)
    assert [type(end) for end in ends] == [Undecodable] * 6
    assert most == 2
