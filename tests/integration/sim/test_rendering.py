"""Files are made ahead of need, and who waits for one is served first."""

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Event

import pytest

from found_footy_sim import clip_renderer
from found_footy_sim.clip_renderer import ClipRecipe, ClipRenderer
from found_footy_sim.media.clip_library import ClipLibrary
from found_footy_sim.media.clip_spec import ClipChange, ClipScene, SceneKind, TeamKit
from found_footy_sim.rendered_clips import RenderedClips
from found_footy_sim.world import make_world
from tests.support.patience import PATIENCE_SECONDS, wait_until

CLUBS = TeamKit("AAA", "#ff0000", "#ffffff"), TeamKit("BBB", "#0000ff", "#ffffff")


def _is_idle(renderer: ClipRenderer) -> bool:
    return renderer._busy_threads == 0


def recipe(seed: int) -> ClipRecipe:
    return ClipRecipe(ClipScene(SceneKind.BLANK, *CLUBS, seed=seed, duration=0.2, width=64, height=36))


class Studio:
    """Stands in for the drawing: notes the order, and waits before the first file until it is let."""

    def __init__(self) -> None:
        self.seeds: list[int] = []
        self.begun = Event()
        self.let = Event()
        self.renderers: list[ClipRenderer] = []

    def renderer(self, folder: Path) -> ClipRenderer:
        self.renderers.append(ClipRenderer(folder))
        return self.renderers[-1]

    def close(self) -> None:
        """Returns when nobody draws any more: a thread left over would draw into the next test's notes."""
        self.let.set()
        for renderer in self.renderers:
            renderer.close()
            wait_until(partial(_is_idle, renderer), lambda: "the end of the drawing")

    def render(self, scene: ClipScene, changes: tuple[ClipChange, ...], folder: Path) -> Path:
        self.begun.set()
        assert self.let.wait(PATIENCE_SECONDS)
        self.seeds.append(scene.seed)
        if scene.seed == 13:
            raise OSError("no room on the disk")
        path = folder / f"{ClipRecipe(scene, changes).content_key}.mp4"
        path.write_text(f"film {scene.seed}")
        return path


@pytest.fixture
def studio(monkeypatch: pytest.MonkeyPatch) -> Iterator[Studio]:
    made = Studio()
    monkeypatch.setattr(clip_renderer, "render_clip", made.render)
    yield made
    made.close()


def test_planned_files_are_made_in_their_order(studio: Studio, tmp_path: Path) -> None:
    renderer = studio.renderer(tmp_path)
    renderer.plan_files(recipe(seed) for seed in (3, 1, 2, 1))
    studio.let.set()
    assert renderer.wait_for_path(recipe(2)).read_text() == "film 2"
    assert renderer.wait_for_path(recipe(1)).read_text() == "film 1"
    assert (sorted(studio.seeds), renderer.pending_count) == ([1, 2, 3], 0)


def test_a_requested_file_is_rendered_before_planned_ones(studio: Studio, tmp_path: Path) -> None:
    renderer = studio.renderer(tmp_path)
    renderer.plan_files(recipe(seed) for seed in range(1, 6))
    assert studio.begun.wait(PATIENCE_SECONDS)
    waiting = [renderer._request_file(recipe(seed)) for seed in (5, 9)]
    studio.let.set()
    assert [one.result(PATIENCE_SECONDS).read_text() for one in waiting] == ["film 5", "film 9"]
    assert studio.seeds[:3] == [1, 5, 9]


def test_a_rendered_file_is_identified_by_its_md5(studio: Studio, tmp_path: Path) -> None:
    studio.let.set()
    renderer = studio.renderer(tmp_path)
    path = renderer.wait_for_path(recipe(8))
    digest = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
    assert renderer.rendered_md5s() == {recipe(8).content_key: digest}


def test_a_file_that_cannot_be_rendered_is_an_error_for_its_caller_and_does_not_stop_the_others(
    studio: Studio, tmp_path: Path
) -> None:
    studio.let.set()
    renderer = studio.renderer(tmp_path)
    with pytest.raises(OSError, match="no room"):
        renderer.wait_for_path(recipe(13))
    assert renderer.wait_for_path(recipe(1)).exists()


def test_a_separate_process_renders_the_same_file(tmp_path: Path) -> None:
    ours, theirs = ClipRenderer(tmp_path / "ours"), ClipRenderer(tmp_path / "theirs", workers=1)
    try:
        assert theirs.wait_for_path(recipe(4)).read_bytes() == ours.wait_for_path(recipe(4)).read_bytes()
    finally:
        theirs.close()


# A simulator that has a worker draw for ten minutes, and tells the worker's process id.
BUSY = """
import sys, time
from pathlib import Path
from found_footy_sim.clip_renderer import ClipRenderer

if __name__ == "__main__":
    pool = ClipRenderer(Path(sys.argv[1]), workers=1)._get_pool()
    pool.apply(time.sleep, (0,))
    pool.apply_async(time.sleep, (600,))
    print(pool._pool[0].pid, flush=True)
    time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks for the worker in /proc")
def test_a_worker_in_the_middle_of_a_file_ends_with_a_killed_simulator(tmp_path: Path) -> None:
    (tmp_path / "busy.py").write_text(BUSY)
    with subprocess.Popen([sys.executable, tmp_path / "busy.py", tmp_path], stdout=subprocess.PIPE) as simulator:
        assert simulator.stdout is not None
        pid = simulator.stdout.readline().decode().strip()
        assert pid
        worker = Path("/proc") / pid / "cmdline"
        assert worker.read_bytes()
        simulator.kill()
    wait_until(lambda: not _content(worker), lambda: f"{_content(worker)!r} is still there")


def _content(path: Path) -> bytes:
    """Empty of a process that is gone, or that nobody has waited for yet."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_day_says_how_many_of_its_files_are_rendered(studio: Studio, tmp_path: Path) -> None:
    scenario = make_world(1, "small").scenario
    films = RenderedClips(scenario, ClipLibrary(scenario, tmp_path), studio.renderer(tmp_path))
    assert films.rendered_until() is None
    films.render_ahead()
    first = films.rendered_until()
    assert first is not None
    assert 0 < first < 180
    studio.let.set()
    for clip in scenario.clips:
        films.renderer.wait_for_path(films.get_recipe(clip))
    assert films.rendered_until() is None
