"""Simulated clip hosts: pages, a list of files, Streamable's answer, and a DASH manifest with sound apart."""

from dataclasses import dataclass, field
from enum import StrEnum

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

_MANIFEST = """<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><Period>
<AdaptationSet contentType="video" mimeType="video/mp4"><Representation bandwidth="900000" width="640" height="360">
<BaseURL>CMAF_360.mp4</BaseURL></Representation><Representation bandwidth="2400000" width="1280" height="720">
<BaseURL>CMAF_720.mp4</BaseURL></Representation></AdaptationSet>{sound}</Period></MPD>"""
_SOUND = """<AdaptationSet contentType="audio" mimeType="audio/mp4"><Representation bandwidth="128000">
<BaseURL>CMAF_AUDIO_128.mp4</BaseURL></Representation></AdaptationSet>"""


_MAIN_PLAYLIST = """#EXTM3U
{sound}#EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=640x360{group}
HLS_360.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=2400000,RESOLUTION=1280x720{group}
HLS_720.m3u8
"""
_SOUND_LINE = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="0",NAME="audio",URI="HLS_AUDIO_128_K.m3u8"\n'


class ClipState(StrEnum):
    READY = "ready"
    PROCESSING = "processing"
    GONE = "gone"
    ABUSE = "abuse"
    MOVED = "moved"


@dataclass
class ClipHosts:
    """Serves `files` by id. `states` are those of clips that are not ready; `sounds` are kept apart from pictures.
    Without `has_manifests` such videos have HLS playlists alone.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    has_manifests: bool = True
    sounds: dict[str, bytes] = field(default_factory=dict)
    states: dict[str, ClipState] = field(default_factory=dict)

    @property
    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v/{id}", self._show_page),
                Route("/embed/{id}", self._show_embed),
                Route("/share/{id}", self._list_files),
                Route("/videos/{id}", self._describe_video),
                Route("/dash/{id}/DASHPlaylist.mpd", self._get_manifest),
                Route("/dash/{id}/HLSPlaylist.m3u8", self._get_main_playlist),
                Route("/dash/{id}/{name}.m3u8", self._get_stream_playlist),
                Route("/dash/{id}/{name}", self._get_track),
                Route("/cdn/{id}.mp4", self._get_file),
            ]
        )

    def _state(self, request: Request) -> ClipState:
        clip = request.path_params["id"]
        missing = ClipState.READY if clip in self.files else ClipState.GONE
        return self.states.get(clip, missing)

    async def _show_page(self, request: Request) -> Response:
        state = self._state(request)
        if state is ClipState.MOVED:
            return RedirectResponse("http://169.254.169.254/latest/meta-data")
        if state is not ClipState.READY:
            return HTMLResponse("<html><title>clip</title><p>processing</p></html>")
        clip = request.path_params["id"]
        return HTMLResponse(f'<html><meta property="og:video" content="/cdn/{clip}.mp4#t=0.1"></html>')

    async def _show_embed(self, request: Request) -> Response:
        if self._state(request) is not ClipState.READY:
            return PlainTextResponse("Not Found", 404)
        clip = request.path_params["id"]
        others = "".join(f'<div data-preview-src="/cdn/other{n}.mp4"></div>' for n in range(3))
        return HTMLResponse(f'<html>{others}<video data-link="/cdn/{clip}.mp4"></video></html>')

    async def _list_files(self, request: Request) -> Response:
        if self._state(request) is not ClipState.READY:
            return JSONResponse([])
        return JSONResponse([{"external_url": f"{request.base_url}cdn/{request.path_params['id']}.mp4"}])

    async def _describe_video(self, request: Request) -> Response:
        state = self._state(request)
        if state is ClipState.PROCESSING:
            return JSONResponse({"status": 1, "files": {}})
        if state is not ClipState.READY:
            return JSONResponse({"status": 3, "files": {}})
        address = f"{request.base_url}cdn/{request.path_params['id']}.mp4"
        return JSONResponse({"status": 2, "files": {"mp4": {"url": address, "width": 1280, "height": 720}}})

    async def _get_main_playlist(self, request: Request) -> Response:
        if self._state(request) is not ClipState.READY:
            return PlainTextResponse("Forbidden", 403)
        has_sound = request.path_params["id"] in self.sounds
        sound, group = (_SOUND_LINE, ',AUDIO="0"') if has_sound else ("", "")
        return PlainTextResponse(_MAIN_PLAYLIST.format(sound=sound, group=group))

    async def _get_stream_playlist(self, request: Request) -> Response:
        name = request.path_params["name"].removeprefix("HLS_").removesuffix("_K")
        parts = f"#EXT-X-BYTERANGE:500@0\nCMAF_{name}.mp4\n#EXT-X-BYTERANGE:500@500\nCMAF_{name}.mp4\n"
        return PlainTextResponse(f'#EXTM3U\n#EXT-X-MAP:URI="CMAF_{name}.mp4"\n{parts}#EXT-X-ENDLIST\n')

    async def _get_manifest(self, request: Request) -> Response:
        if self._state(request) is not ClipState.READY or not self.has_manifests:
            return PlainTextResponse("Forbidden", 403)
        sound = _SOUND if request.path_params["id"] in self.sounds else ""
        return Response(_MANIFEST.format(sound=sound), media_type="application/dash+xml")

    async def _get_track(self, request: Request) -> Response:
        clip, name = request.path_params["id"], request.path_params["name"]
        content = self.sounds.get(clip) if "AUDIO" in name else self.files.get(clip)
        return Response(content, media_type="video/mp4") if content else PlainTextResponse("Not Found", 404)

    async def _get_file(self, request: Request) -> Response:
        state = self._state(request)
        if state is ClipState.ABUSE:
            return HTMLResponse("<html>abuse</html>")
        if state is ClipState.PROCESSING:
            return PlainTextResponse("Internal Server Error", 500)
        content = self.files.get(request.path_params["id"]) if state is ClipState.READY else None
        return Response(content, media_type="video/mp4") if content else PlainTextResponse("Not Found", 404)
