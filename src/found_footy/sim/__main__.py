"""`python -m found_footy.sim`: the simulated outside as a process of its own."""

import argparse
import logging
import sys
from pathlib import Path

import uvicorn

from found_footy.sim.clock import ClockMode
from found_footy.sim.library import load, names
from found_footy.sim.media.files import default_folder
from found_footy.sim.script.values import ScriptError
from found_footy.sim.simulator import KEY, Simulator

log = logging.getLogger("found_footy.sim")


def _arguments(given: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m found_footy.sim", description="The simulated outside world.")
    parser.add_argument("--port", type=int, default=8899)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--scenario", default="demo", help="a name, or the path of a .txt file")
    parser.add_argument("--speed", type=float, help="match minutes per real minute (default: the scenario's)")
    parser.add_argument("--clock", choices=list(ClockMode), default=ClockMode.TIMED)
    parser.add_argument("--media-dir", type=Path, default=default_folder(), help="where rendered clips are kept")
    parser.add_argument("--key", default=KEY, help="the API key that is accepted")
    parser.add_argument("--public-url", help="how clients reach the video host, if not as they asked")
    parser.add_argument(
        "--wait", action="store_true", help="let time begin with the first question to the football API"
    )
    parser.add_argument("--list", action="store_true", help="name the scenarios and end")
    return parser.parse_args(given)


def main(given: list[str] | None = None) -> int:
    arguments = _arguments(given)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    try:
        if arguments.list:
            sys.stdout.writelines(f"{name:32} {load(name).about}\n" for name in names())
            return 0
        scenario = load(arguments.scenario)
    except (ScriptError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    simulator = Simulator(
        scenario,
        clock=arguments.clock,
        speed=arguments.speed,
        media_dir=arguments.media_dir,
        key=arguments.key,
        public_url=arguments.public_url,
        wait=arguments.wait,
    )
    simulator.library.render_ahead()
    log.info("SIMULATED: http://%s:%d (key %s)", arguments.host, arguments.port, arguments.key)
    uvicorn.run(simulator.app, host=arguments.host, port=arguments.port, ws="none", lifespan="off", access_log=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
