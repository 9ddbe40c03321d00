"""Files that are either whole or not there."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedWriter
from pathlib import Path

_LONGEST_NAME_PART = 100


@contextmanager
def appearing(path: Path) -> Iterator[BufferedWriter]:
    """A file to write that takes the name `path` when the block ends well; otherwise nothing is left of it."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:_LONGEST_NAME_PART]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
