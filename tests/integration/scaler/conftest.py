import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A data directory with a space in its path. Removed at once."""
    parent = Path(tempfile.mkdtemp(prefix="found footy "))
    directory = parent / "data dir"
    directory.mkdir()
    yield directory
    shutil.rmtree(parent)
