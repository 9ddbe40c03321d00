"""The clips of a scenario as files: their measures, and the files themselves once they are made."""

from pathlib import Path

from found_footy.sim.media.files import Library, Variant
from found_footy.sim.media.spec import Change
from found_footy.sim.posts import due
from found_footy.sim.rendering import Recipe, Renderer
from found_footy.sim.script.model import Clip, Host, Post, Scenario

_WITHOUT_FILE = frozenset(
    {
        Host.DELETED,
        Host.GONE,
        Host.GEO_BLOCKED,
        Host.RATE_LIMITED,
        Host.OVERSIZE,
        Host.ENDLESS,
        Host.HTML,
        Host.EMPTY,
        Host.GARBAGE,
    }
)


class Films:
    def __init__(self, scenario: Scenario, library: Library, renderer: Renderer) -> None:
        self._scenario = scenario
        self._library = library
        self.renderer = renderer
        self._variants: dict[str, list[Variant]] = {}
        self._needed: list[tuple[float, str]] = []

    def duration(self, clip: Clip) -> float:
        return self._library.duration(clip)

    def variants(self, clip: Clip) -> list[Variant]:
        """Width, height and bitrate of the files on offer, the largest first."""
        if clip.name not in self._variants:
            self._variants[clip.name] = self._library.variants(clip)
        return self._variants[clip.name]

    def recipe(self, clip: Clip, size: tuple[int, int] | None = None) -> Recipe:
        """How a clip is made in one of its sizes, its own if none is given."""
        scene, changes = self._library.recipe(clip)
        if size is not None and size != self.variants(clip)[0][:2]:
            changes = (*changes, Change(width=size[0], height=size[1], crf=27))
        return Recipe(scene, changes)

    async def file(self, clip: Clip, size: tuple[int, int] | None = None) -> Path:
        return await self.renderer.file(self.recipe(clip, size))

    def render_ahead(self) -> None:
        """Make all files in the background, in the order in which they are posted, so that nobody waits for them."""
        posts = sorted(self._scenario.posts, key=self._time)
        first = {post.clip: self._time(post) for post in reversed(posts) if post.host not in _WITHOUT_FILE}
        needed = [(self._scenario.clip(name), at) for name, at in sorted(first.items(), key=lambda item: item[1])]
        recipes = [(self.recipe(clip), at) for clip, at in needed if clip.host not in _WITHOUT_FILE]
        self._needed = [(at, recipe.key) for recipe, at in recipes]
        self.renderer.plan(recipe for recipe, _ in recipes)

    def drawn_until(self) -> float | None:
        """The second of the world's clock at which the first file is posted that is not made yet; None if all are."""
        unmade = self.renderer.unmade()
        return next((round(at * 60, 1) for at, key in self._needed if key in unmade), None)

    def _time(self, post: Post) -> float:
        match = self._scenario.match(post.fixture)
        assert match is not None
        return match.kickoff + due(match, post)
