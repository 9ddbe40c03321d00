"""Making the files of a scenario ahead of time, in the order in which they are needed. Who waits for one goes first."""

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

from found_footy.sim.media.files import render
from found_footy.sim.media.spec import Change, Scene, content_key

log = logging.getLogger(__name__)

# Far longer than any clip takes: a worker that was killed never answers.
_PATIENCE = 180.0
_MODESTY = 4


@dataclass(frozen=True)
class Recipe:
    """A file by what it shows."""

    scene: Scene
    changes: tuple[Change, ...] = ()

    @property
    def key(self) -> str:
        return content_key(self.scene, self.changes)


class Renderer:
    """With `workers`, files are made in processes of their own, so that drawing does not hold up this one's answers;
    without, in a thread. Threads and processes exist only once there is something to make.
    """

    def __init__(self, folder: Path, workers: int = 0) -> None:
        self._folder = folder
        self._workers = workers
        self._urgent: deque[Recipe] = deque()
        self._planned: deque[Recipe] = deque()
        self._files: dict[str, Future[Path]] = {}
        self._begun: set[str] = set()
        self._md5: dict[str, str] = {}
        self._busy = 0
        self._pool: Pool | None = None
        self._closed = False
        self._lock = Lock()

    def plan(self, recipes: Iterable[Recipe]) -> None:
        """Make these, in this order, when nobody waits for another one."""
        with self._lock:
            for recipe in recipes:
                if recipe.key not in self._files:
                    self._files[recipe.key] = Future()
                    self._planned.append(recipe)
            self._hire()

    async def file(self, recipe: Recipe) -> Path:
        """The file, as soon as it is there."""
        return await asyncio.wrap_future(self._wanted(recipe))

    def path(self, recipe: Recipe) -> Path:
        return self._wanted(recipe).result()

    def made(self) -> dict[str, str]:
        """The MD5 of every file made or used so far, by the key of its content."""
        with self._lock:
            return dict(self._md5)

    @property
    def to_make(self) -> int:
        """How many planned files are not there yet."""
        return len(self.unmade())

    def unmade(self) -> set[str]:
        """The planned files that are not there yet, by the keys of their content."""
        with self._lock:
            return {key for key, future in self._files.items() if not future.done()}

    def close(self) -> None:
        """Stop at once, in the middle of a file if need be."""
        with self._lock:
            self._closed = True
            self._planned.clear()
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.terminate()

    def _wanted(self, recipe: Recipe) -> Future[Path]:
        with self._lock:
            future = self._files.setdefault(recipe.key, Future())
            if recipe.key not in self._begun:
                self._urgent.append(recipe)
                self._hire()
            return future

    def _hire(self) -> None:
        waiting = len(self._urgent) + len(self._planned)
        while not self._closed and self._busy < min(max(1, self._workers), waiting):
            self._busy += 1
            Thread(target=self._work, name="renderer", daemon=True).start()

    def _work(self) -> None:
        while recipe := self._next():
            future = self._files[recipe.key]
            try:
                path = self._made(recipe)
                self._md5[recipe.key] = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
                future.set_result(path)
            except Exception as error:  # whoever waits for the file has to hear of it
                log.exception("SIMULATED clip could not be rendered: %s", recipe.key)
                future.set_exception(error)

    def _next(self) -> Recipe | None:
        with self._lock:
            while self._urgent or self._planned:
                recipe = (self._urgent or self._planned).popleft()
                if recipe.key not in self._begun:
                    self._begun.add(recipe.key)
                    return recipe
            self._busy -= 1
            return None

    def _made(self, recipe: Recipe) -> Path:
        ready = self._folder / f"{recipe.key}.mp4"
        if self._workers == 0 or ready.exists():
            return ready if ready.exists() else render(recipe.scene, recipe.changes, self._folder)
        job = self._own_pool().apply_async(render, (recipe.scene, recipe.changes, self._folder))
        return job.get(_PATIENCE)

    def _own_pool(self) -> Pool:
        with self._lock:
            if self._pool is None:
                self._pool = multiprocessing.get_context("spawn").Pool(self._workers, _be_modest)
            return self._pool


def _be_modest() -> None:
    """Whoever uses the clips needs the processor more. Ctrl-C is for the simulator, which then ends its workers."""
    os.nice(_MODESTY)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_exit_with_parent, name="parent watch", daemon=True).start()


def _exit_with_parent() -> None:
    """A worker whose simulator was killed would otherwise notice only after the clip that it is drawing. Not the
    kernel's signal on the parent's death: that comes when the thread that started the worker ends.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)
