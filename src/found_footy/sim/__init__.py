"""The simulated outside: a football API, a search service and a video host that follow a scenario script.

Nothing here knows the product; only its command line and its tests know this package.
"""

from found_footy.sim.clock import ClockMode
from found_footy.sim.library import load, names
from found_footy.sim.script.model import Scenario
from found_footy.sim.script.parser import parse
from found_footy.sim.script.values import ScriptError
from found_footy.sim.serving import serve, serving
from found_footy.sim.simulator import KEY, Simulator

__all__ = ["KEY", "ClockMode", "Scenario", "ScriptError", "Simulator", "load", "names", "parse", "serve", "serving"]
