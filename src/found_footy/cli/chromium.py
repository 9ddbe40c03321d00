"""Finds the Chromium of this machine."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

_EXECUTABLE_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_MAC_APPLICATIONS = ("Chromium", "Google Chrome")
# Paths below the directory into which `playwright install chromium` downloads.
_PLAYWRIGHT_PATTERNS = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
)


def find_chromium(environ: Mapping[str, str], system: str = sys.platform) -> Path | None:
    """Return the first of: one on the PATH under a usual name, an application of macOS, the one that Playwright
    downloaded.
    """
    return next(
        (path for path in _iter_candidates(environ, system) if os.access(path, os.X_OK) and path.is_file()), None
    )


def _iter_candidates(environ: Mapping[str, str], system: str) -> Iterator[Path]:
    for name in _EXECUTABLE_NAMES:
        if found := shutil.which(name, path=environ.get("PATH", os.defpath)):
            yield Path(found)
    home = Path(environ.get("HOME") or Path.home())
    if system == "darwin":
        for folder in (Path("/Applications"), home / "Applications"):
            yield from (folder / f"{name}.app" / "Contents" / "MacOS" / name for name in _MAC_APPLICATIONS)
    caches = home / ("Library/Caches" if system == "darwin" else ".cache")
    fetched = Path(environ.get("PLAYWRIGHT_BROWSERS_PATH") or caches / "ms-playwright")
    for pattern in _PLAYWRIGHT_PATTERNS:
        yield from sorted(fetched.glob(pattern), reverse=True)
