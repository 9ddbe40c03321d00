"""Frames, the simulated vision server, and readers on it."""

from collections.abc import Iterator

import numpy as np
import pytest

from found_footy.vision.frames import ClipFrames, Frame
from found_footy_sim.vision.loopback_server import serve_vision
from found_footy_sim.vision.server import VisionServer


def plain_frame(at: float, shade: int, size: tuple[int, int] = (180, 320)) -> Frame:
    return Frame(at, np.full((*size, 3), shade, np.uint8))


@pytest.fixture
def clip() -> ClipFrames:
    """Three frames that differ in shade: dark, middling, bright."""
    return ClipFrames((plain_frame(2.5, 20), plain_frame(7.5, 220)), plain_frame(5.0, 120))


@pytest.fixture
def vision() -> VisionServer:
    return VisionServer()


@pytest.fixture
def url(vision: VisionServer) -> Iterator[str]:
    with serve_vision(vision) as address:
        yield address
