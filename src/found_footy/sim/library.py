"""The scenarios that come with the simulator: one text file each, named after its file."""

from importlib.resources import files
from pathlib import Path

from found_footy.sim.script.model import Scenario
from found_footy.sim.script.parser import parse
from found_footy.sim.script.values import ScriptError

_FOLDER = files("found_footy.sim") / "scenarios"


def names() -> list[str]:
    """Every named scenario, in alphabetical order."""
    return sorted(entry.name.removesuffix(".txt") for entry in _FOLDER.iterdir() if entry.name.endswith(".txt"))


def load(name: str) -> Scenario:
    """The scenario of this name, or of this file if the name ends in .txt."""
    if name.endswith(".txt"):
        return parse(Path(name).stem, Path(name).read_text(encoding="utf-8"))
    if name not in names():
        raise ScriptError(f"there is no scenario {name}; there are {', '.join(names())}")
    return parse(name, (_FOLDER / f"{name}.txt").read_text(encoding="utf-8"))
