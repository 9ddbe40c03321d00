"""`python -m found_footy_sim`: the simulator as a process of its own."""

import argparse
import json
import logging
import signal
import sys
from pathlib import Path
from threading import Event

from found_footy_sim.clock import ClockMode
from found_footy_sim.media.clip_library import default_media_dir
from found_footy_sim.outside_servers import ServerPorts, run_servers
from found_footy_sim.scenario_library import list_scenarios, load_scenario
from found_footy_sim.script.values import ScriptError
from found_footy_sim.simulator import SIMULATED_API_KEY, Simulator
from found_footy_sim.wire.api_plans import API_PLANS
from found_footy_sim.world import WorldSize, make_world
from found_footy_sim.world.shares import SHARE_NAMES, UnknownShare, parse_shares

_RATE_LIMIT_WINDOW_SECONDS = 900

logger = logging.getLogger("found_footy_sim")


def _parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m found_footy_sim", description="The simulated outside world.")
    parser.add_argument("--port", type=int, default=8899)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--scenario", default="demo", help="a name, or the path of a .txt file")
    parser.add_argument(
        "--world", choices=list(WorldSize), help="a generated match day of this size instead of a scenario"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the match day")
    parser.add_argument(
        "--share",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"a share of the match day, 0 to 1; may be repeated: {', '.join(SHARE_NAMES)}",
    )
    parser.add_argument("--speed", type=float, help="match minutes per real minute (default: the scenario's)")
    parser.add_argument("--clock", choices=list(ClockMode), default=ClockMode.TIMED)
    parser.add_argument("--media-dir", type=Path, default=default_media_dir(), help="directory of the rendered clips")
    parser.add_argument("--key", default=SIMULATED_API_KEY, help="the API key that is accepted")
    parser.add_argument(
        "--plan", choices=sorted(API_PLANS), default="pro", help="plan of the key: what it may request, and how often"
    )
    parser.add_argument(
        "--public-url", help="address of the video host for clients, if it differs from the one they requested"
    )
    parser.add_argument("--x-port", type=int, default=0, help="port of the X site (default: a free one)")
    parser.add_argument("--x-limit", type=int, default=50, help="searches per account and window on the X site")
    parser.add_argument(
        "--x-window", type=float, help="its window in real seconds (default: a quarter hour of the world)"
    )
    parser.add_argument(
        "--vision-port", type=int, help="port of a vision server that reports football for every picture"
    )
    parser.add_argument(
        "--render-workers", type=int, default=2, help="processes that render clips; 0: render in this process"
    )
    parser.add_argument("--wait", action="store_true", help="start the clock with the first call to the football API")
    parser.add_argument("--list", action="store_true", help="list the scenarios and exit")
    return parser.parse_args(argv)


def _build_simulator(arguments: argparse.Namespace) -> Simulator:
    world = make_world(arguments.seed, arguments.world, parse_shares(arguments.share)) if arguments.world else None
    return Simulator(
        world.scenario if world else load_scenario(arguments.scenario),
        clock=arguments.clock,
        speed=arguments.speed,
        media_dir=arguments.media_dir,
        key=arguments.key,
        plan=arguments.plan,
        public_url=arguments.public_url,
        wait=arguments.wait,
        truth=world.truth if world else None,
        render_workers=arguments.render_workers,
    )


def main(argv: list[str] | None = None) -> int:
    """Prints the addresses to standard output as one line of JSON once every server answers."""
    arguments = _parse_arguments(argv)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    try:
        if arguments.list:
            sys.stdout.writelines(f"{name:32} {load_scenario(name).about}\n" for name in list_scenarios())
            return 0
        simulator = _build_simulator(arguments)
    except (ScriptError, UnknownShare, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    _run_until_stopped(simulator, arguments)
    return 0


def _run_until_stopped(simulator: Simulator, arguments: argparse.Namespace) -> None:
    stopped = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    simulator.rendered_clips.render_ahead()
    ports = ServerPorts(arguments.port, arguments.x_port, arguments.vision_port)
    limits = {"x_limit": arguments.x_limit, "x_window": _x_window_seconds(simulator, arguments.x_window)}
    with run_servers(simulator, ports, host=arguments.host, public_url=arguments.public_url, **limits) as addresses:
        sys.stdout.write(json.dumps(addresses.by_name()) + "\n")
        sys.stdout.flush()
        logger.info("SIMULATED: %s (key %s)", addresses.simulator, arguments.key)
        stopped.wait()


def _x_window_seconds(simulator: Simulator, requested: float | None) -> int:
    return max(1, round(requested or _RATE_LIMIT_WINDOW_SECONDS / simulator.clock.pace))


if __name__ == "__main__":
    sys.exit(main())
