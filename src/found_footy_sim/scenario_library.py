"""The scenarios that come with the simulator: one text file each, named after its file."""

from importlib.resources import files
from pathlib import Path

from found_footy_sim.script.model import Scenario
from found_footy_sim.script.parser import parse_scenario
from found_footy_sim.script.values import ScriptError

_SCENARIO_DIR = files("found_footy_sim") / "scenarios"


def list_scenarios() -> list[str]:
    """Return every scenario's name, in alphabetical order."""
    return sorted(entry.name.removesuffix(".txt") for entry in _SCENARIO_DIR.iterdir() if entry.name.endswith(".txt"))


def load_scenario(name: str) -> Scenario:
    """Load the scenario of this name, or of this file if the name ends in .txt."""
    if name.endswith(".txt"):
        return parse_scenario(Path(name).stem, Path(name).read_text(encoding="utf-8"))
    if name not in list_scenarios():
        raise ScriptError(f"there is no scenario {name}; there are {', '.join(list_scenarios())}")
    return parse_scenario(name, (_SCENARIO_DIR / f"{name}.txt").read_text(encoding="utf-8"))
