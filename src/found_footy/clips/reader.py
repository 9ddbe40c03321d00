"""Who looks at a clip and says whether it shows the goal."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeVar

from found_footy.clips.decoding import blamed_on_the_file
from found_footy.clips.gallery import Gallery
from found_footy.clips.messages import LookAtClip, Sighting
from found_footy.clips.sightings import clip_frames, sighting, unusable
from found_footy.model.outcome import TimestampStatus
from found_footy.platform.media import Unusable
from found_footy.platform.media_frames import Picture, Pictures, take_beside, take_half, take_pictures
from found_footy.vision.frames import Beside, Expected, Frame
from found_footy.vision.reader import Reader as VisionReader

FileSource = Callable[[], Awaitable[Path]]
Workspace = Callable[[], AbstractAsyncContextManager[Path]]
Taken = TypeVar("Taken", Picture, Pictures)


class Reader(Protocol):
    """Looks at a clip. `file` fetches it when it is wanted. Raises Unavailable when it cannot tell."""

    name: str

    async def look(self, wanted: LookAtClip, file: FileSource) -> Sighting: ...


class AcceptAll:
    """Looks at nothing and lets everything pass, saying so: for tests, not for real clips."""

    name = "accept-all"

    async def look(self, wanted: LookAtClip, file: FileSource) -> Sighting:  # noqa: ARG002
        return Sighting(self.name, TimestampStatus.UNVERIFIED, reason="not checked")


class ClipReader:
    """Takes the frames out of a clip, has them read, and keeps small copies of those that were looked at."""

    def __init__(self, reader: VisionReader, gallery: Gallery, workspace: Workspace, tolerance: int) -> None:
        self._reader = reader
        self._gallery = gallery
        self._workspace = workspace
        self._tolerance = tolerance
        self.name = reader.name

    async def look(self, wanted: LookAtClip, file: FileSource) -> Sighting:
        path = await file()
        async with self._workspace() as folder:
            pictures = _blamed(await take_pictures(path, folder))
        if isinstance(pictures, Unusable):
            return unusable(self.name, pictures)
        more, goal = _More(path, self._workspace), wanted.goal
        frames = replace(clip_frames(pictures), later=more.middle, take_beside=more.beside)
        expected = Expected(goal.elapsed, goal.extra, self._tolerance)
        verdict = await self._reader.read(frames, expected, broadcast=str(goal.fixture_id))
        seen_at = {answer.at for answer in verdict.evidence.answers}
        taken = {frame.at: frame for frame in (*more.frames, *frames.outer)}
        seen = [taken[at] for at in sorted(seen_at & taken.keys())]
        return sighting(verdict, await self._gallery.keep(goal, wanted.clip.md5, seen))


class _More:
    """Further frames, taken out if a reader wants them. One that cannot be decoded is not there."""

    def __init__(self, path: Path, workspace: Workspace) -> None:
        self._path = path
        self._workspace = workspace
        self.frames: list[Frame] = []

    async def middle(self) -> Frame | None:
        async with self._workspace() as folder:
            picture = _blamed(await take_half(self._path, folder))
        return None if isinstance(picture, Unusable) else self._kept(picture)

    async def beside(self, at: float) -> Beside:
        async with self._workspace() as folder:
            pictures = _blamed(await take_beside(self._path, folder, at))
        if isinstance(pictures, Unusable) or pictures.beside is None:
            return Beside(None)
        return Beside(self._kept(pictures.beside), tuple(Frame(one.at, one.pixels) for one in pictures.small))

    def _kept(self, picture: Picture) -> Frame:
        frame = Frame(picture.at, picture.pixels)
        self.frames.append(frame)
        return frame


def _blamed(taken: Taken | Unusable) -> Taken | Unusable:
    return blamed_on_the_file(taken) if isinstance(taken, Unusable) else taken
