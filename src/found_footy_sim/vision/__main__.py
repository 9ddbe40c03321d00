"""`python -m found_footy_sim.vision --port 8080`: a vision server that reports football in every picture."""

import argparse
import logging
import signal
from threading import Event

from found_footy_sim.vision.answers import VisionMode
from found_footy_sim.vision.loopback_server import serve_vision
from found_footy_sim.vision.server import VisionServer

logger = logging.getLogger(__name__)


def main() -> None:
    parser = argparse.ArgumentParser(description="A simulated OpenAI-compatible vision server.")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--mode", choices=[mode.value for mode in VisionMode], default=VisionMode.PLAIN.value)
    parser.add_argument("--delay", type=float, default=0.0, help="duration of an answer, in seconds")
    wanted = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    stopped = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    with serve_vision(VisionServer(mode=VisionMode(wanted.mode), delay=wanted.delay), port=wanted.port) as url:
        logger.info("SIMULATED vision server: %s", url)
        stopped.wait()


if __name__ == "__main__":
    main()
