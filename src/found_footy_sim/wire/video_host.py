"""The video host, simulated: files with range requests, and its failures."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from found_footy_sim.post_schedule import PostSchedule, PublishedPost
from found_footy_sim.rendered_clips import RenderedClips
from found_footy_sim.script.model import Scenario, SimulatedClip, VideoHostAnswer
from found_footy_sim.wire.envelope import truncated_response

_MP4_TYPE = "video/mp4"
_OVERSIZE_BYTES = 5_000_000_000
_EMPTY_BLOCK = bytes(65_536)
_UNAVAILABLE_PAGE = "<html><body>This video is not available.</body></html>"


@dataclass
class SimulatedVideoHost:
    scenario: Scenario
    schedule: PostSchedule
    rendered_clips: RenderedClips

    def routes(self) -> list[BaseRoute]:
        return [Route("/video/{media}/{width:int}x{height:int}/{name}.mp4", self.get_video)]

    async def get_video(self, request: Request) -> Response:
        item = self.schedule.find_by_media(request.path_params["media"])
        if item is None:
            return PlainTextResponse("Not Found", 404)
        clip = self.scenario.get_clip(item.post.clip)
        size = request.path_params["width"], request.path_params["height"]
        if size not in [variant[:2] for variant in self.rendered_clips.variants(clip)]:
            return PlainTextResponse("Not Found", 404)
        return await self.answer_for_post(item, size)

    async def answer_for_post(self, item: PublishedPost, size: tuple[int, int] | None = None) -> Response:
        """Respond with the video of a post in one of its sizes, or with its scripted failure."""
        clip = self.scenario.get_clip(item.post.clip)
        if item.post.host is not None:
            clip = replace(clip, host=item.post.host)
        elif self.schedule.is_deleted(item):
            clip = replace(clip, host=VideoHostAnswer.GONE)
        if clip.host is VideoHostAnswer.SLOW:
            await asyncio.sleep(clip.seconds)
        if refused := _response_without_file(clip):
            return refused
        return _response_with_file(clip, await self.rendered_clips.get_file(clip, size))


def _response_without_file(clip: SimulatedClip) -> Response | None:
    match clip.host:
        case VideoHostAnswer.DELETED:
            return PlainTextResponse("Not Found", 404)
        case VideoHostAnswer.GONE:
            return PlainTextResponse("Gone", 410)
        case VideoHostAnswer.GEO_BLOCKED:
            return PlainTextResponse("Forbidden: not available in your location", 403)
        case VideoHostAnswer.RATE_LIMITED:
            return PlainTextResponse("Too Many Requests", 429, {"retry-after": str(int(clip.seconds) or 60)})
        case VideoHostAnswer.OVERSIZE:
            return StreamingResponse(
                _stream_endlessly(), headers={"content-length": str(_OVERSIZE_BYTES)}, media_type=_MP4_TYPE
            )
        case VideoHostAnswer.ENDLESS:
            return StreamingResponse(_stream_endlessly(), media_type=_MP4_TYPE)
        case VideoHostAnswer.HTML:
            return Response(_UNAVAILABLE_PAGE, media_type=_MP4_TYPE)
        case VideoHostAnswer.EMPTY:
            return Response(b"", media_type=_MP4_TYPE)
        case VideoHostAnswer.GARBAGE:
            return Response(bytes((i * 73 + i // 7) % 256 for i in range(50_000)), media_type=_MP4_TYPE)
    return None


def _response_with_file(clip: SimulatedClip, path: Path) -> Response:
    match clip.host:
        case VideoHostAnswer.TRUNCATED:
            whole = path.read_bytes()
            return Response(whole[: len(whole) // 2], media_type=_MP4_TYPE)
        case VideoHostAnswer.CUT:
            return truncated_response(path.read_bytes(), {}, _MP4_TYPE)
        case VideoHostAnswer.DRIP:
            headers = {"content-length": str(path.stat().st_size)}
            return StreamingResponse(
                _stream_slowly(path.read_bytes(), clip.seconds), headers=headers, media_type=_MP4_TYPE
            )
    return FileResponse(path, media_type=_MP4_TYPE, headers={"cache-control": "max-age=604800"})


async def _stream_endlessly() -> AsyncIterator[bytes]:
    while True:
        yield _EMPTY_BLOCK
        await asyncio.sleep(0.01)


async def _stream_slowly(whole: bytes, pause: float) -> AsyncIterator[bytes]:
    for start in range(0, len(whole), 1024):
        yield whole[start : start + 1024]
        await asyncio.sleep(pause or 0.5)
