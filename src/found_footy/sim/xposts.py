"""The posts of a scenario for the simulated X site: a browser finds there what the search service finds here."""

from datetime import datetime

from found_footy.sim.posts import Published
from found_footy.sim.simulator import Simulator
from found_footy.sim.xsite.posts import Post, Rendition, Video


class ScenarioPosts:
    """A source of posts for `XSite`. `video_base` is the address of the simulator that serves their videos."""

    def __init__(self, simulator: Simulator, video_base: str) -> None:
        self._simulator = simulator
        self._base = video_base.rstrip("/")

    def posts(self, now: datetime) -> list[Post]:
        return [self._post(item) for item in self._simulator.board.out() if item.posted_at <= now]

    def _post(self, item: Published) -> Post:
        clip = self._simulator.scenario.clip(item.post.clip)
        library = self._simulator.library
        renditions = tuple(
            Rendition(f"{self._base}/video/{item.media}/{width}x{height}/{clip.name}.mp4", bitrate, width, height)
            for width, height, bitrate in library.variants(clip)
        )
        video = Video(item.media, renditions, duration_ms=round(library.duration(clip) * 1000))
        return Post(item.tweet_id, item.author, item.post.text, item.posted_at, (video,))
