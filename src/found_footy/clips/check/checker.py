"""Checks whether a clip shows the goal."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeVar

from found_footy.clips.check.conversion import (
    to_check_result,
    to_clip_frames,
    to_undecodable_result,
)
from found_footy.clips.check.evidence import EvidenceStore
from found_footy.clips.check.memory import CheckMemory
from found_footy.clips.decoding import require_file_fault
from found_footy.clips.messages import CheckClip, CheckResult
from found_footy.domain.outcomes import TimestampStatus
from found_footy.platform.media.frames import (
    ExtractedFrame,
    ExtractedFrames,
    extract_adjacent_frames,
    extract_frames,
    extract_middle_frame,
)
from found_footy.platform.media.probe import UnusableMedia
from found_footy.vision.expectation import ProofRules
from found_footy.vision.frames import Frame, NeighbourFrames
from found_footy.vision.goal_expectation import to_expected_goal
from found_footy.vision.reader import VisionReader

FileSource = Callable[[], Awaitable[Path]]
Workspace = Callable[[], AbstractAsyncContextManager[Path]]
DecodedT = TypeVar("DecodedT", ExtractedFrame, ExtractedFrames)


class ClipChecker(Protocol):
    """Checks a clip; `fetch_file` returns its file. Raises Unavailable if no verdict is possible now."""

    name: str

    async def check(self, request: CheckClip, fetch_file: FileSource) -> CheckResult: ...


class AcceptAllChecker:
    """Accepts every clip unchecked and reports it as such: for tests, not for real clips."""

    name = "accept-all"

    async def check(self, request: CheckClip, fetch_file: FileSource) -> CheckResult:  # noqa: ARG002
        return CheckResult(self.name, TimestampStatus.UNVERIFIED, reason="not checked")


class VisionClipChecker:
    """Extracts frames from a clip, has them read, and stores small copies of the frames that were read. The same bytes
    are not read again for the same goal.
    """

    def __init__(
        self, reader: VisionReader, evidence_store: EvidenceStore, workspace: Workspace, rules: ProofRules
    ) -> None:
        self._reader = reader
        self._evidence_store = evidence_store
        self._workspace = workspace
        self._rules = rules
        self._memory = CheckMemory()
        self.name = reader.name

    async def check(self, request: CheckClip, fetch_file: FileSource) -> CheckResult:
        goal, md5, expected = request.goal, request.clip.md5, to_expected_goal(request.goal, self._rules)
        if (known := self._memory.find_result(md5, goal, expected)) is not None:
            return known
        path = await fetch_file()
        async with self._workspace() as folder:
            pictures = _require_file_fault(await extract_frames(path, folder))
        if isinstance(pictures, UnusableMedia):
            return to_undecodable_result(self.name, pictures)
        more = _FrameExtractor(path, self._workspace)
        frames = replace(to_clip_frames(pictures), load_middle=more.extract_middle, load_neighbour=more.extract_beside)
        verdict = await self._reader.read(frames, expected, broadcast=str(goal.fixture_id))
        seen_at = {answer.at for answer in verdict.evidence.readings}
        taken = {frame.at: frame for frame in (*more.frames, *frames.outer_frames)}
        seen = [taken[at] for at in sorted(seen_at & taken.keys())]
        result = to_check_result(verdict, await self._evidence_store.save_frames(goal, md5, seen))
        self._memory.add_result(md5, goal, expected, verdict, result)
        return result


class _FrameExtractor:
    """Extracts further frames on a reader's request. None for a frame that cannot be decoded."""

    def __init__(self, path: Path, workspace: Workspace) -> None:
        self._path = path
        self._workspace = workspace
        self.frames: list[Frame] = []

    async def extract_middle(self) -> Frame | None:
        async with self._workspace() as folder:
            picture = _require_file_fault(await extract_middle_frame(self._path, folder))
        return None if isinstance(picture, UnusableMedia) else self._record_frame(picture)

    async def extract_beside(self, at: float) -> NeighbourFrames:
        async with self._workspace() as folder:
            pictures = _require_file_fault(await extract_adjacent_frames(self._path, folder, at))
        if isinstance(pictures, UnusableMedia) or pictures.beside is None:
            return NeighbourFrames(None)
        return NeighbourFrames(
            self._record_frame(pictures.beside), tuple(Frame(one.at, one.pixels) for one in pictures.small)
        )

    def _record_frame(self, picture: ExtractedFrame) -> Frame:
        frame = Frame(picture.at, picture.pixels)
        self.frames.append(frame)
        return frame


def _require_file_fault(extracted: DecodedT | UnusableMedia) -> DecodedT | UnusableMedia:
    return require_file_fault(extracted) if isinstance(extracted, UnusableMedia) else extracted
