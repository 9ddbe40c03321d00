"""Posts of a scenario for the simulated X site: a browser finds the same posts as the simulated search service."""

from datetime import datetime, timedelta

from found_footy_sim.post_schedule import PostSchedule, PublishedPost, make_snowflake
from found_footy_sim.rendered_clips import RenderedClips
from found_footy_sim.script.model import PostPlatform, Scenario, VideoHostAnswer
from found_footy_sim.x.posts import PostVisibility, VideoRendition, XPost, XVideo

_DELETED_ANSWERS = (VideoHostAnswer.DELETED, VideoHostAnswer.GONE)


class ScenarioXPosts:
    """A post source for `XSite`. `video_base` is the address of the simulator that serves their videos."""

    def __init__(
        self, scenario: Scenario, schedule: PostSchedule, rendered_clips: RenderedClips, video_base: str
    ) -> None:
        self._scenario = scenario
        self._schedule = schedule
        self._rendered_clips = rendered_clips
        self._video_base = video_base.rstrip("/")
        self._posts_by_key: dict[tuple[str, PostVisibility], XPost] = {}

    def posts(self, now: datetime) -> list[XPost]:
        out = [
            item
            for item in self._schedule.list_published()
            if item.post.source is PostPlatform.X and item.posted_at <= now
        ]
        return [self._get_post(item, self._visibility(item)) for item in out if item.tweet_id.isdecimal()]

    def _visibility(self, item: PublishedPost) -> PostVisibility:
        deleted = item.post.host in _DELETED_ANSWERS or self._schedule.is_deleted(item)
        return PostVisibility.DELETED if deleted else PostVisibility.NORMAL

    def _get_post(self, item: PublishedPost, visibility: PostVisibility) -> XPost:
        key = item.media, visibility
        if key not in self._posts_by_key:
            self._posts_by_key[key] = self._build_post(item, visibility)
        return self._posts_by_key[key]

    def _build_post(self, item: PublishedPost, visibility: PostVisibility) -> XPost:
        clip = self._scenario.get_clip(item.post.clip)
        renditions = tuple(
            VideoRendition(
                f"{self._video_base}/video/{item.media}/{width}x{height}/{clip.name}.mp4", bitrate, width, height
            )
            for width, height, bitrate in self._rendered_clips.variants(clip)
        )
        video = XVideo(item.media, renditions, duration_ms=round(self._rendered_clips.duration(clip) * 1000))
        answered = make_snowflake(item.posted_at - timedelta(minutes=1), item.media) if item.post.reply else None
        return XPost(
            item.tweet_id,
            item.author,
            item.post.text,
            item.posted_at,
            (video,),
            reply_to=answered,
            visibility=visibility,
        )
