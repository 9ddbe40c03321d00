"""The simulator of the outside: a football API, X, Bluesky, Wikidata and a video host that follow a script or a seed.

Nothing here knows the product, except the demo and the scorecard.
"""

from found_footy_sim.clock import ClockMode
from found_footy_sim.loopback_server import serve_simulator, serve_simulator_async
from found_footy_sim.outside_servers import ServerAddresses, ServerPorts, run_servers
from found_footy_sim.scenario_library import list_scenarios, load_scenario
from found_footy_sim.script.model import Scenario
from found_footy_sim.script.parser import parse_scenario
from found_footy_sim.script.values import ScriptError
from found_footy_sim.simulator import SIMULATED_API_KEY, Simulator
from found_footy_sim.world import make_world

__all__ = [
    "SIMULATED_API_KEY",
    "ClockMode",
    "Scenario",
    "ScriptError",
    "ServerAddresses",
    "ServerPorts",
    "Simulator",
    "list_scenarios",
    "load_scenario",
    "make_world",
    "parse_scenario",
    "run_servers",
    "serve_simulator",
    "serve_simulator_async",
]
