"""The simulated outside: a football API, X, Bluesky, Wikidata and a video host that follow a script or a seed.

Nothing here knows the product; only its command line and its tests know this package.
"""

from found_footy.sim.clock import ClockMode
from found_footy.sim.library import load, names
from found_footy.sim.outside import Addresses, Ports, outside
from found_footy.sim.script.model import Scenario
from found_footy.sim.script.parser import parse
from found_footy.sim.script.values import ScriptError
from found_footy.sim.serving import serve, serving
from found_footy.sim.simulator import KEY, Simulator
from found_footy.sim.world import make_world

__all__ = [
    "KEY", "Addresses", "ClockMode", "Ports", "Scenario", "ScriptError", "Simulator", "load", "make_world", "names",
    "outside", "parse", "serve", "serving",
]  # fmt: skip
