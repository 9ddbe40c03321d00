"""The posts of a scenario for the simulated X site: a browser finds there what the search service finds here."""

from datetime import datetime, timedelta

from found_footy.sim.films import Films
from found_footy.sim.posts import Board, Published, snowflake
from found_footy.sim.script.model import Host, Scenario, Source
from found_footy.sim.xsite.posts import Post, Rendition, Standing, Video

_DELETED = (Host.DELETED, Host.GONE)


class ScenarioPosts:
    """A source of posts for `XSite`. `video_base` is the address of the simulator that serves their videos."""

    def __init__(self, scenario: Scenario, board: Board, films: Films, video_base: str) -> None:
        self._scenario = scenario
        self._board = board
        self._films = films
        self._base = video_base.rstrip("/")
        self._made: dict[tuple[str, Standing], Post] = {}

    def posts(self, now: datetime) -> list[Post]:
        out = [item for item in self._board.out() if item.post.source is Source.X and item.posted_at <= now]
        return [self._post(item, self._standing(item)) for item in out if item.tweet_id.isdecimal()]

    def _standing(self, item: Published) -> Standing:
        deleted = item.post.host in _DELETED or self._board.is_gone(item)
        return Standing.DELETED if deleted else Standing.NORMAL

    def _post(self, item: Published, standing: Standing) -> Post:
        key = item.media, standing
        if key not in self._made:
            self._made[key] = self._build(item, standing)
        return self._made[key]

    def _build(self, item: Published, standing: Standing) -> Post:
        clip = self._scenario.clip(item.post.clip)
        renditions = tuple(
            Rendition(f"{self._base}/video/{item.media}/{width}x{height}/{clip.name}.mp4", bitrate, width, height)
            for width, height, bitrate in self._films.variants(clip)
        )
        video = Video(item.media, renditions, duration_ms=round(self._films.duration(clip) * 1000))
        answered = snowflake(item.posted_at - timedelta(minutes=1), item.media) if item.post.reply else None
        return Post(
            item.tweet_id, item.author, item.post.text, item.posted_at, (video,), reply_to=answered, standing=standing
        )
