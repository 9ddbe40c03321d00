"""Where a browser for the search service is looked for."""

from pathlib import Path

import pytest

from found_footy.cli.chromium import find_chromium


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o755)
    return path


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"])
def test_a_browser_is_found_by_each_of_its_usual_names(name: str, tmp_path: Path) -> None:
    browser = put(tmp_path / "bin" / name)
    assert find_chromium({"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path)}) == browser


@pytest.mark.parametrize(
    ("system", "place"),
    [
        ("linux", ".cache/ms-playwright/chromium-1194/chrome-linux/chrome"),
        ("linux", ".cache/ms-playwright/chromium-1200/chrome-linux64/chrome"),
        ("darwin", "Library/Caches/ms-playwright/chromium-1194/chrome-mac/Chromium.app/Contents/MacOS/Chromium"),
        ("darwin", "Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
    ],
)
def test_what_playwright_fetched_and_applications_of_macos_are_found(system: str, place: str, tmp_path: Path) -> None:
    browser = put(tmp_path / place)
    assert find_chromium({"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path)}, system) == browser


def test_the_folder_that_playwright_is_configured_with_is_searched(tmp_path: Path) -> None:
    browser = put(tmp_path / "mine" / "chromium-1194" / "chrome-linux" / "chrome")
    environ = {"PATH": "", "HOME": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "mine")}
    assert find_chromium(environ, "linux") == browser


def test_no_browser_is_none_and_what_cannot_be_run_is_no_browser(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "chromium").touch(mode=0o644)
    assert find_chromium({"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path)}, "linux") is None
