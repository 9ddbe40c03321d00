"""The search service keeps its things beneath the data directory, unless it is told where."""

from pathlib import Path

from found_footy.settings import load_settings
from found_footy.xsearch.server import lock_data_dir


def test_the_search_service_stores_its_data_below_the_data_directory(tmp_path: Path) -> None:
    loaded = load_settings({"FOOTY_DATA_DIR": str(tmp_path)})
    assert loaded.settings.xsearch.data_dir == tmp_path / "xsearch"
    [shown] = [origin for origin in loaded.resolved if origin.variable == "X_SEARCH_DATA_DIR"]
    assert shown.origin == "data directory"


def test_a_configured_directory_is_used(tmp_path: Path) -> None:
    environ = {"FOOTY_DATA_DIR": str(tmp_path / "a"), "X_SEARCH_DATA_DIR": str(tmp_path / "b")}
    assert load_settings(environ).settings.xsearch.data_dir == tmp_path / "b"


def test_without_a_data_directory_it_is_beneath_the_usual_one() -> None:
    settings = load_settings({}).settings
    assert settings.xsearch.data_dir == settings.data_dir / "xsearch"


def test_a_folder_that_others_could_read_becomes_private(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with lock_data_dir(tmp_path):
        assert tmp_path.stat().st_mode & 0o777 == 0o700
