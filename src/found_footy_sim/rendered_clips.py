"""The clips of a scenario as files: their sizes, and the files themselves once they are rendered."""

from pathlib import Path

from found_footy_sim.clip_renderer import ClipRecipe, ClipRenderer
from found_footy_sim.media.clip_library import ClipLibrary, ClipVariant
from found_footy_sim.media.clip_spec import ClipChange
from found_footy_sim.post_schedule import due_minute
from found_footy_sim.script.model import Scenario, SimulatedClip, SimulatedPost, VideoHostAnswer

_HOST_ANSWERS_WITHOUT_FILE = frozenset(
    {
        VideoHostAnswer.DELETED,
        VideoHostAnswer.GONE,
        VideoHostAnswer.GEO_BLOCKED,
        VideoHostAnswer.RATE_LIMITED,
        VideoHostAnswer.OVERSIZE,
        VideoHostAnswer.ENDLESS,
        VideoHostAnswer.HTML,
        VideoHostAnswer.EMPTY,
        VideoHostAnswer.GARBAGE,
    }
)


class RenderedClips:
    def __init__(self, scenario: Scenario, library: ClipLibrary, renderer: ClipRenderer) -> None:
        self._scenario = scenario
        self._library = library
        self.renderer = renderer
        self._variants: dict[str, list[ClipVariant]] = {}
        self._needed_keys: list[tuple[float, str]] = []

    def duration(self, clip: SimulatedClip) -> float:
        return self._library.duration(clip)

    def variants(self, clip: SimulatedClip) -> list[ClipVariant]:
        """Return width, height and bitrate of the offered files, the largest first."""
        if clip.name not in self._variants:
            self._variants[clip.name] = self._library.variants(clip)
        return self._variants[clip.name]

    def get_recipe(self, clip: SimulatedClip, size: tuple[int, int] | None = None) -> ClipRecipe:
        """Return how a clip is rendered in one of its sizes, its own if none is given."""
        scene, changes = self._library.get_recipe(clip)
        if size is not None and size != self.variants(clip)[0][:2]:
            changes = (*changes, ClipChange(width=size[0], height=size[1], crf=27))
        return ClipRecipe(scene, changes)

    async def get_file(self, clip: SimulatedClip, size: tuple[int, int] | None = None) -> Path:
        return await self.renderer.wait_for_file(self.get_recipe(clip, size))

    def render_ahead(self) -> None:
        """Render all files in the background, in the order in which they are posted, so that no request
        waits for them.
        """
        posts = sorted(self._scenario.posts, key=self._post_minute)
        first = {
            post.clip: self._post_minute(post)
            for post in reversed(posts)
            if post.host not in _HOST_ANSWERS_WITHOUT_FILE
        }
        needed = [(self._scenario.get_clip(name), at) for name, at in sorted(first.items(), key=lambda item: item[1])]
        recipes = [(self.get_recipe(clip), at) for clip, at in needed if clip.host not in _HOST_ANSWERS_WITHOUT_FILE]
        self._needed_keys = [(at, recipe.content_key) for recipe, at in recipes]
        self.renderer.plan_files(recipe for recipe, _ in recipes)

    def rendered_until(self) -> float | None:
        """The second of the world's clock at which the first unrendered file is posted; None if all are rendered."""
        unmade = self.renderer.pending_keys()
        return next((round(at * 60, 1) for at, key in self._needed_keys if key in unmade), None)

    def _post_minute(self, post: SimulatedPost) -> float:
        match = self._scenario.find_match(post.fixture)
        assert match is not None
        return match.kickoff + due_minute(match, post)
