"""The files behind the clips of a scenario: rendered when first requested, kept on disk under their content key."""

import asyncio
import logging
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, Thread, get_native_id

from found_footy_sim.media import encoder
from found_footy_sim.media.clip_spec import ClipChange, ClipScene, content_key
from found_footy_sim.media.editing.derivation import derive_file, duration_after, size_after
from found_footy_sim.media.frames import render_frames
from found_footy_sim.script.model import Scenario, SimulatedClip, VideoHostAnswer

logger = logging.getLogger(__name__)

ClipVariant = tuple[int, int, int]

_SMALL_VARIANT_SIZE = 640, 360
_HOST_ANSWERS_WITHOUT_FILE = frozenset(
    {
        VideoHostAnswer.DELETED,
        VideoHostAnswer.GEO_BLOCKED,
        VideoHostAnswer.RATE_LIMITED,
        VideoHostAnswer.OVERSIZE,
        VideoHostAnswer.ENDLESS,
        VideoHostAnswer.HTML,
        VideoHostAnswer.EMPTY,
        VideoHostAnswer.GARBAGE,
    }
)


def default_media_dir() -> Path:
    """The folder that keeps rendered clips between runs."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "found-footy" / "simulated-clips"


def render_clip(scene: ClipScene, changes: tuple[ClipChange, ...], folder: Path) -> Path:
    """Return the file of this scene after these changes; render it if it is missing. Safe from several processes."""
    target = folder / f"{content_key(scene, changes)}.mp4"
    if target.exists():
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with _write_atomically(target) as unfinished:
        if changes:
            change = changes[-1]
            behind = render_clip(change.then, (), folder) if change.then else None
            derive_file(render_clip(scene, changes[:-1], folder), unfinished, change, behind)
        else:
            encoder.write_mp4(unfinished, render_frames(scene), fps=scene.fps, size=(scene.width, scene.height))
    return target


@contextmanager
def _write_atomically(target: Path) -> Iterator[Path]:
    handle, name = tempfile.mkstemp(suffix=".part", dir=target.parent)
    os.close(handle)
    try:
        yield Path(name)
        Path(name).replace(target)
    finally:
        Path(name).unlink(missing_ok=True)


class ClipLibrary:
    """The clips of one scenario as files."""

    def __init__(self, scenario: Scenario, folder: Path) -> None:
        self._scenario = scenario
        self._folder = folder
        # Rendering uses all cores; two at once would only delay both.
        self._lock = Lock()

    def get_recipe(self, clip: SimulatedClip) -> tuple[ClipScene, tuple[ClipChange, ...]]:
        if clip.parent is None or clip.change is None:
            assert clip.scene is not None
            return clip.scene, ()
        scene, changes = self.get_recipe(self._scenario.get_clip(clip.parent))
        return scene, (*changes, clip.change)

    def duration(self, clip: SimulatedClip) -> float:
        scene, changes = self.get_recipe(clip)
        length = scene.duration
        for change in changes:
            length = duration_after(change, length)
        return round(length, 2)

    def variants(self, clip: SimulatedClip) -> list[ClipVariant]:
        """Return width, height and bitrate of the offered files, the largest first."""
        width, height = self._clip_size(clip)
        offered = [(width, height)]
        if width > _SMALL_VARIANT_SIZE[0] and width * 9 == height * 16:
            offered.append(_SMALL_VARIANT_SIZE)
        return [(w, h, w * h * 9 // 4) for w, h in offered]

    async def get_file(self, clip: SimulatedClip, size: tuple[int, int]) -> Path:
        return await asyncio.to_thread(self.get_path, clip, size)

    def get_path(self, clip: SimulatedClip, size: tuple[int, int] | None = None) -> Path:
        """Return the file of a clip in one of its sizes, its own if none is given."""
        scene, changes = self.get_recipe(clip)
        if size is not None and size != self._clip_size(clip):
            changes = (*changes, ClipChange(width=size[0], height=size[1], crf=27))
        with self._lock:
            return render_clip(scene, changes, self._folder)

    def render_ahead(self) -> Thread:
        """Render all clips in the background, in the order in which they are posted, so that no request
        waits for them.
        """
        thread = Thread(target=self._render_all, name="render-ahead", daemon=True)
        thread.start()
        return thread

    def _render_all(self) -> None:
        if sys.platform == "linux":
            # On Linux a thread has its own priority; the users of the clips need the CPU more.
            os.setpriority(os.PRIO_PROCESS, get_native_id(), 10)
        posted = dict.fromkeys(post.clip for post in self._scenario.posts)
        for clip in (self._scenario.get_clip(name) for name in posted):
            if clip.host not in _HOST_ANSWERS_WITHOUT_FILE:
                self.get_path(clip)
        logger.info("SIMULATED clips are ready: %d", len(posted))

    def _clip_size(self, clip: SimulatedClip) -> tuple[int, int]:
        scene, changes = self.get_recipe(clip)
        size = scene.width, scene.height
        for change in changes:
            size = size_after(change, size)
        return size
