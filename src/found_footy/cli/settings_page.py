"""Writes docs/settings.md, the table of all settings, from the code: `python -m found_footy.cli.settings_page`."""

from collections.abc import Iterator
from pathlib import Path

from found_footy.platform.settings.environment import (
    ENV_PREFIX,
    ResolvedSetting,
    list_variables,
    load_from_environment,
)
from found_footy.settings import Settings

PAGE = Path("docs") / "settings.md"
_FILE_SUFFIX = "_FILE"
# Their defaults depend on the user and the machine.
_PLACES = {
    "FOOTY_DATA_DIR": "the user's data directory",
    "X_SEARCH_DATA_DIR": "`xsearch` in the data directory",
}
_HEAD = """# Settings

Every setting, generated from the code (`make settings-page`). Where a value comes from at run time:
`found-footy config`. Durations carry a unit (`30s`, `5m`, `1h30m`), sizes too (`25MB`); lists are separated by commas.
Where a variable with the ending `_FILE` is named, the value can be read from a file.
"""


def render_settings_page() -> str:
    """Render the page: one table per group, in the order of the code."""
    parts, group = [_HEAD], None
    for names, setting in _iterate_settings():
        found = _find_group(names)
        if found != group:
            group = found
            parts.append(f"\n## {group or 'general'}\n\n| variable | default | meaning |\n|---|---|---|\n")
        parts.append(_render_row(names, setting))
    return "".join(parts)


def _find_group(names: tuple[str, ...]) -> str:
    """Every setting has a name of its own, which has its group in it; others' and those of files have not."""
    own = next(name for name in names if name.startswith(ENV_PREFIX) and not _names_file(name, names))
    return own.removeprefix(ENV_PREFIX).rpartition("__")[0].lower().replace("__", ".")


def _names_file(name: str, names: tuple[str, ...]) -> bool:
    return name.endswith(_FILE_SUFFIX) and name.removesuffix(_FILE_SUFFIX) in names


def _iterate_settings() -> Iterator[tuple[tuple[str, ...], ResolvedSetting]]:
    return zip(list_variables(Settings), load_from_environment(Settings, {}).resolved, strict=True)


def _render_row(names: tuple[str, ...], setting: ResolvedSetting) -> str:
    shown = ", ".join(f"`{name}`" for name in names)
    default = _PLACES.get(names[0]) or (f"`{setting.value}`" if setting.value else "")
    return f"| {shown} | {_escape(default)} | {_escape(setting.description)} |\n"


def _escape(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(render_settings_page(), encoding="utf-8")
