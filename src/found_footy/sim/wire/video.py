"""The video host, simulated: files with range requests, and every way in which such a host lets a client down."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from found_footy.sim.films import Films
from found_footy.sim.posts import Board, Published
from found_footy.sim.script.model import Clip, Host, Scenario
from found_footy.sim.wire.envelope import cut_off

_MP4 = "video/mp4"
_FIVE_GB = 5_000_000_000
_BLOCK = bytes(65_536)
_PAGE = "<html><body>This video is not available.</body></html>"


@dataclass
class VideoHost:
    scenario: Scenario
    board: Board
    films: Films

    def routes(self) -> list[BaseRoute]:
        return [Route("/video/{media}/{width:int}x{height:int}/{name}.mp4", self.video)]

    async def video(self, request: Request) -> Response:
        item = self.board.find(request.path_params["media"])
        if item is None:
            return PlainTextResponse("Not Found", 404)
        clip = self.scenario.clip(item.post.clip)
        size = request.path_params["width"], request.path_params["height"]
        if size not in [variant[:2] for variant in self.films.variants(clip)]:
            return PlainTextResponse("Not Found", 404)
        return await self.answer(item, size)

    async def answer(self, item: Published, size: tuple[int, int] | None = None) -> Response:
        """The video of a post in one of its sizes, or what comes instead of it."""
        clip = self.scenario.clip(item.post.clip)
        if item.post.host is not None:
            clip = replace(clip, host=item.post.host)
        elif self.board.is_gone(item):
            clip = replace(clip, host=Host.GONE)
        if clip.host is Host.SLOW:
            await asyncio.sleep(clip.seconds)
        if refused := _without_file(clip):
            return refused
        return _with_file(clip, await self.films.file(clip, size))


def _without_file(clip: Clip) -> Response | None:
    match clip.host:
        case Host.DELETED:
            return PlainTextResponse("Not Found", 404)
        case Host.GONE:
            return PlainTextResponse("Gone", 410)
        case Host.GEO_BLOCKED:
            return PlainTextResponse("Forbidden: not available in your location", 403)
        case Host.RATE_LIMITED:
            return PlainTextResponse("Too Many Requests", 429, {"retry-after": str(int(clip.seconds) or 60)})
        case Host.OVERSIZE:
            return StreamingResponse(_endless(), headers={"content-length": str(_FIVE_GB)}, media_type=_MP4)
        case Host.ENDLESS:
            return StreamingResponse(_endless(), media_type=_MP4)
        case Host.HTML:
            return Response(_PAGE, media_type=_MP4)
        case Host.EMPTY:
            return Response(b"", media_type=_MP4)
        case Host.GARBAGE:
            return Response(bytes((i * 73 + i // 7) % 256 for i in range(50_000)), media_type=_MP4)
    return None


def _with_file(clip: Clip, path: Path) -> Response:
    match clip.host:
        case Host.TRUNCATED:
            whole = path.read_bytes()
            return Response(whole[: len(whole) // 2], media_type=_MP4)
        case Host.CUT:
            return cut_off(path.read_bytes(), {}, _MP4)
        case Host.DRIP:
            headers = {"content-length": str(path.stat().st_size)}
            return StreamingResponse(_drip(path.read_bytes(), clip.seconds), headers=headers, media_type=_MP4)
    return FileResponse(path, media_type=_MP4, headers={"cache-control": "max-age=604800"})


async def _endless() -> AsyncIterator[bytes]:
    while True:
        yield _BLOCK
        await asyncio.sleep(0.01)


async def _drip(whole: bytes, pause: float) -> AsyncIterator[bytes]:
    for start in range(0, len(whole), 1024):
        yield whole[start : start + 1024]
        await asyncio.sleep(pause or 0.5)
