"""Posts of a scenario for the simulated Bluesky."""

from collections.abc import Awaitable, Callable

from starlette.responses import PlainTextResponse, Response

from found_footy_sim.bluesky.posts import BlueskyPost, make_cid
from found_footy_sim.post_schedule import PostSchedule, PublishedPost, bluesky_handle
from found_footy_sim.rendered_clips import RenderedClips
from found_footy_sim.script.model import PostPlatform, Scenario


class ScenarioBlueskyPosts:
    """A post source for `BlueskySite`; `answer_video` is the video host's response for a post."""

    def __init__(
        self,
        scenario: Scenario,
        schedule: PostSchedule,
        rendered_clips: RenderedClips,
        answer_video: Callable[[PublishedPost], Awaitable[Response]],
    ) -> None:
        self._scenario = scenario
        self._schedule = schedule
        self._rendered_clips = rendered_clips
        self._answer_video = answer_video
        self._posts_by_key: dict[str, tuple[BlueskyPost, PublishedPost]] = {}

    def posts(self) -> list[BlueskyPost]:
        return [
            self._get_post(item) for item in self._schedule.list_published() if item.post.source is PostPlatform.BLUESKY
        ]

    async def video(self, post: BlueskyPost) -> Response:
        known = self._posts_by_key.get(post.key)
        return await self._answer_video(known[1]) if known else PlainTextResponse("Not Found", 404)

    def _get_post(self, item: PublishedPost) -> BlueskyPost:
        if item.tweet_id not in self._posts_by_key:
            self._posts_by_key[item.tweet_id] = self._build_post(item), item
        return self._posts_by_key[item.tweet_id][0]

    def _build_post(self, item: PublishedPost) -> BlueskyPost:
        """The file's CID is derived from its content key, since the file may not be rendered yet."""
        clip = self._scenario.get_clip(item.post.clip)
        width, height, _ = self._rendered_clips.variants(clip)[0]
        cid = make_cid(self._rendered_clips.get_recipe(clip).content_key.encode())
        text = item.post.text
        return BlueskyPost(
            bluesky_handle(item.author), item.tweet_id, text, item.posted_at, width=width, height=height, cid=cid
        )
