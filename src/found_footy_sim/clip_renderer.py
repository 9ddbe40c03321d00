"""Renders the files of a scenario ahead of time, in the order in which they are needed. A requested file goes first."""

import asyncio
import hashlib
import logging
import multiprocessing
import multiprocessing.connection
import os
import signal
from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from multiprocessing.pool import Pool
from pathlib import Path
from threading import Lock, Thread

from found_footy_sim.media.clip_library import render_clip
from found_footy_sim.media.clip_spec import ClipChange, ClipScene, content_key

logger = logging.getLogger(__name__)

# Far longer than any clip takes: a worker that was killed never answers.
_RENDER_TIMEOUT_SECONDS = 180.0
_WORKER_NICENESS = 4


@dataclass(frozen=True)
class ClipRecipe:
    """A file by its content."""

    scene: ClipScene
    changes: tuple[ClipChange, ...] = ()

    @property
    def content_key(self) -> str:
        return content_key(self.scene, self.changes)


class ClipRenderer:
    """With `workers`, files are rendered in separate processes, so that rendering does not delay this process's
    responses; without, in a thread. Threads and processes are started when there is something to render.
    """

    def __init__(self, folder: Path, workers: int = 0) -> None:
        self._folder = folder
        self._workers = workers
        self._urgent: deque[ClipRecipe] = deque()
        self._planned: deque[ClipRecipe] = deque()
        self._files: dict[str, Future[Path]] = {}
        self._started_keys: set[str] = set()
        self._md5_by_key: dict[str, str] = {}
        self._busy_threads = 0
        self._pool: Pool | None = None
        self._closed = False
        self._lock = Lock()

    def plan_files(self, recipes: Iterable[ClipRecipe]) -> None:
        """Render these, in this order, when no other file is requested."""
        with self._lock:
            for recipe in recipes:
                if recipe.content_key not in self._files:
                    self._files[recipe.content_key] = Future()
                    self._planned.append(recipe)
            self._start_threads()

    async def wait_for_file(self, recipe: ClipRecipe) -> Path:
        """Return the file as soon as it is rendered."""
        return await asyncio.wrap_future(self._request_file(recipe))

    def wait_for_path(self, recipe: ClipRecipe) -> Path:
        return self._request_file(recipe).result()

    def rendered_md5s(self) -> dict[str, str]:
        """The MD5 of every file rendered or used so far, by content key."""
        with self._lock:
            return dict(self._md5_by_key)

    @property
    def pending_count(self) -> int:
        """The number of planned files that are not rendered yet."""
        return len(self.pending_keys())

    def pending_keys(self) -> set[str]:
        """The content keys of the planned files that are not rendered yet."""
        with self._lock:
            return {key for key, future in self._files.items() if not future.done()}

    def close(self) -> None:
        """Stop at once, even in the middle of a file."""
        with self._lock:
            self._closed = True
            self._planned.clear()
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.terminate()

    def _request_file(self, recipe: ClipRecipe) -> Future[Path]:
        with self._lock:
            future = self._files.setdefault(recipe.content_key, Future())
            if recipe.content_key not in self._started_keys:
                self._urgent.append(recipe)
                self._start_threads()
            return future

    def _start_threads(self) -> None:
        waiting = len(self._urgent) + len(self._planned)
        while not self._closed and self._busy_threads < min(max(1, self._workers), waiting):
            self._busy_threads += 1
            Thread(target=self._run_thread, name="renderer", daemon=True).start()

    def _run_thread(self) -> None:
        while recipe := self._take_next():
            future = self._files[recipe.content_key]
            try:
                path = self._render_recipe(recipe)
                self._md5_by_key[recipe.content_key] = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
                future.set_result(path)
            except Exception as error:  # passed on to whoever waits for the file
                logger.exception("SIMULATED clip could not be rendered: %s", recipe.content_key)
                future.set_exception(error)

    def _take_next(self) -> ClipRecipe | None:
        with self._lock:
            while self._urgent or self._planned:
                recipe = (self._urgent or self._planned).popleft()
                if recipe.content_key not in self._started_keys:
                    self._started_keys.add(recipe.content_key)
                    return recipe
            self._busy_threads -= 1
            return None

    def _render_recipe(self, recipe: ClipRecipe) -> Path:
        ready = self._folder / f"{recipe.content_key}.mp4"
        if self._workers == 0 or ready.exists():
            return ready if ready.exists() else render_clip(recipe.scene, recipe.changes, self._folder)
        job = self._get_pool().apply_async(render_clip, (recipe.scene, recipe.changes, self._folder))
        return job.get(_RENDER_TIMEOUT_SECONDS)

    def _get_pool(self) -> Pool:
        with self._lock:
            if self._pool is None:
                self._pool = multiprocessing.get_context("spawn").Pool(self._workers, _initialize_worker)
            return self._pool


def _initialize_worker() -> None:
    """Lower the priority: the product needs the CPU more. Ctrl-C goes to the simulator, which then ends its workers."""
    os.nice(_WORKER_NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_exit_with_parent, name="parent watch", daemon=True).start()


def _exit_with_parent() -> None:
    """Without this, a worker whose simulator was killed would notice only after the clip it is rendering. Not the
    kernel's parent-death signal: that is sent when the thread that started the worker ends.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)
