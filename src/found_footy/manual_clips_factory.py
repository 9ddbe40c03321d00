"""Builds what adds a clip manually, from settings."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from found_footy.app import AppContext
from found_footy.clips.fetch.syndication.client import MAX_ANSWER_BYTES, SyndicationClient
from found_footy.discovery.sources.manual import ManualClipService
from found_footy.discovery.store import DiscoveryStore
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.settings.addresses import host_and_port
from found_footy.settings import Settings, pipeline_pace
from found_footy.source_factory import build_bluesky_source


@asynccontextmanager
async def open_manual_clips(app: AppContext) -> AsyncIterator[ManualClipService]:
    """For commands and routes that add a clip manually."""
    async with AsyncExitStack() as stack:
        switched_on = "bluesky" in app.settings.discovery.sources
        posts = build_bluesky_source(app.settings, stack) if switched_on else None
        x = build_syndication_client(app.settings, stack)
        yield ManualClipService(DiscoveryStore(app.database), app.temporal, pipeline_pace(app.settings), posts, x)


def build_syndication_client(settings: Settings, stack: AsyncExitStack) -> SyndicationClient:
    clips = settings.clips
    http = SafeHttpClient(
        system="X embeds",
        allowed_hosts=[host_and_port(clips.syndication_url)],
        trusted_private=settings.trusted_hosts,
        timeout=clips.syndication_timeout,
        max_bytes=MAX_ANSWER_BYTES,
    )
    stack.push_async_callback(http.aclose)
    return SyndicationClient(http, clips.syndication_url)
