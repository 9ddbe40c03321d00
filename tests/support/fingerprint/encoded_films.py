import shutil
from pathlib import Path
from typing import Protocol

import pytest

from found_footy.fingerprint import Fingerprint, compute_fingerprint
from tests.support.fingerprint.scenes import Film, Scene, write


class PrintOf(Protocol):
    def __call__(self, film: Film, crf: int = 23) -> Fingerprint: ...


@pytest.fixture(scope="session")
def print_of(tmp_path_factory: pytest.TempPathFactory) -> PrintOf:
    """Encodes a film and takes its fingerprint, as a stored clip would."""
    folder = tmp_path_factory.mktemp("clips")
    files = iter(range(1_000_000))

    def make(film: Film, crf: int = 23) -> Fingerprint:
        return compute_fingerprint(write(film, folder / f"{next(files)}.mp4", crf=crf))

    return make


@pytest.fixture(scope="session")
def originals(print_of: PrintOf) -> dict[int, tuple[Film, Fingerprint]]:
    films = {place: Scene(place).film() for place in (31, 32)}
    return {place: (film, print_of(film, crf=20)) for place, film in films.items()}


@pytest.fixture(scope="session")
def encoded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Encoded once; for reading only."""
    return write(Scene(33, seconds=3).film(), tmp_path_factory.mktemp("encoded") / "clip.mp4")


@pytest.fixture
def clip(encoded: Path, tmp_path: Path) -> Path:
    """A test's own copy, to be renamed, damaged or cut."""
    return Path(shutil.copy(encoded, tmp_path / "clip.mp4"))
