"""What files of ill will cost: every codec that the library can write, sizes that change, floods of facts, all at once.

    python -m bench.hostile_videos

Each file goes through the three programs that open files: facts and thumbnail, frames, fingerprint. Printed are the
verdicts, and the most memory that this process and its children had together (what they share counted once for each).
"""

import asyncio
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import av
from av.codec import Codec, codecs_available

from found_footy.clips.fingerprints.maker import FINGERPRINT_LIMITS
from found_footy.platform.media.decoder_semaphore import detect_capacity
from found_footy.platform.media.frames import extract_frames
from found_footy.platform.media.probe import UnusableMedia, prepare_media, run_in_sandbox
from tests.support.media.hostile_videos import (
    behind_a_mark,
    encoded,
    endless,
    gone_bad,
    many_streams,
    picture_of,
    switched,
    with_metadata,
)
from tests.support.media.small_videos import mp4, sound_only

CONTAINERS = ("mov", "mp4", "matroska")
_MEASURED_EVERY = 0.05
Made = Callable[[], bytes]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        files = dict(_written(Path(name)))
        print(f"{len(files)} files; budget of decoders: {detect_capacity()}")
        began = time.monotonic()
        verdicts, peak = asyncio.run(_played(files))
    print(f"{time.monotonic() - began:.0f} s; most memory of worker and children together: {peak / 2**20:.0f} MiB\n")
    for label, reported in sorted(verdicts.items()):
        print(f"{label:32} {'  '.join(f'{one:18}' for one in reported)}")
    print(f"\n{'facts':18} {'frames':18} {'fingerprint':18}")
    for reported, count in Counter(verdicts.values()).most_common():
        print("  ".join(f"{one:18}" for one in reported), count)


def _written(folder: Path) -> Iterator[tuple[str, Path]]:
    for number, (label, made) in enumerate(_files()):
        try:
            content = made()
        except (av.FFmpegError, ValueError, OverflowError, MemoryError):
            continue  # this encoder cannot write into this container, or not on this machine
        path = folder / f"{number}.mp4"
        path.write_bytes(content)
        yield label, path


def _files() -> Iterator[tuple[str, Made]]:
    crafted: dict[str, Made] = {
        "good": mp4,
        "sound only": sound_only,
        "pictures gone bad": gone_bad,
        "fifty streams": many_streams,
        "for days": endless,
        "10,000 by 10,000": lambda: picture_of(10_000, 10_000),
        "switch to 6000 by 6000": lambda: switched((640, 360), (6000, 6000)),
        "switch to 8200 by 64": lambda: switched((640, 360), (8200, 64)),
        "switch to 4:4:4": lambda: switched((640, 360), (640, 360), "yuv444p"),
        "20 MB of facts": lambda: with_metadata(mp4(), 20),
        "MPEG-TS behind a mark": lambda: behind_a_mark(encoded("libx264", "yuv420p", container="mpegts")),
        "flat AV1, 1000 frames": lambda: encoded("libsvtav1", "yuv420p", 40.0, "mp4"),
        "H.264 4:4:4": lambda: encoded("libx264", "yuv444p", container="mp4"),
        "H.264 10 bits": lambda: encoded("libx264", "yuv420p10le", container="mp4"),
    }
    yield from crafted.items()
    for codec in sorted(codecs_available):
        if _writes_video(codec):
            for container in CONTAINERS:
                yield f"{codec} in {container}", partial(encoded, codec, "", 1.0, container)


def _writes_video(name: str) -> bool:
    try:
        return Codec(name, "w").type == "video"
    except ValueError:
        return False


async def _played(files: dict[str, Path]) -> tuple[dict[str, tuple[str, ...]], int]:
    ended, peak = asyncio.Event(), 0

    async def measure() -> None:
        nonlocal peak
        while not ended.is_set():
            peak = max(peak, await asyncio.to_thread(_resident, os.getpid()))
            await asyncio.sleep(_MEASURED_EVERY)

    measuring = asyncio.create_task(measure())
    reported = await asyncio.gather(*(_verdicts(path) for path in files.values()))
    ended.set()
    await measuring
    return dict(zip(files, reported, strict=True)), peak


async def _verdicts(path: Path) -> tuple[str, ...]:
    with tempfile.TemporaryDirectory() as name:
        out = Path(name)
        results = (
            await prepare_media(path, thumbnail=out / "t.jpg", playable=out / "p.mp4", preview=out / "v.mp4"),
            await extract_frames(path, out),
            await run_in_sandbox("found_footy.clips.fingerprints.child", [path], FINGERPRINT_LIMITS),
        )
    return tuple(result.fault.value if isinstance(result, UnusableMedia) else "taken" for result in results)


def _resident(pid: int) -> int:
    """Bytes of a process and all below it; one that has gone meanwhile has none."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") + sum(_resident(int(child)) for child in children)


if __name__ == "__main__":
    main()
