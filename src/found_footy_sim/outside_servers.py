"""Serves all simulated outside systems on their ports."""

import contextlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from found_footy_sim.app_server import serve_app
from found_footy_sim.loopback_server import serve_simulator
from found_footy_sim.simulator import Simulator
from found_footy_sim.vision.server import VisionServer
from found_footy_sim.x import XSite


@dataclass(frozen=True)
class ServerAddresses:
    """`x_site` has its own host, because its pages request absolute paths. `vision` is None if there is no vision
    server.
    """

    simulator: str
    x_site: str
    vision: str | None = None

    def by_name(self) -> dict[str, str]:
        """Every address by the name of its system."""
        base = self.simulator
        parts = {
            "football": base,
            "search": f"{base}/x",
            "video": f"{base}/video",
            "bluesky": f"{base}/bluesky",
            "wikidata": f"{base}/wikidata/w/api.php",
            "wikidata_query": f"{base}/wikidata/sparql",
            "state": f"{base}/sim/state",
            "truth": f"{base}/sim/truth",
        }
        return {**{name: at for name, at in asdict(self).items() if at}, **parts}


@dataclass(frozen=True)
class ServerPorts:
    """0 takes a free port. With None there is no vision server."""

    simulator: int = 0
    x_site: int = 0
    vision: int | None = None


@contextlib.contextmanager
def run_servers(
    simulator: Simulator,
    ports: ServerPorts | None = None,
    *,
    host: str = "127.0.0.1",
    public_url: str | None = None,
    x_limit: int = 50,
    x_window: int = 900,
) -> Iterator[ServerAddresses]:
    """Yield once every server answers. An account of the X site has `x_limit` searches in `x_window` real seconds."""
    ports = ports or ServerPorts()
    with contextlib.ExitStack() as stack:
        base = stack.enter_context(serve_simulator(simulator, host=host, port=ports.simulator))
        site = XSite(simulator.x_posts(public_url or base), limit=x_limit, window=x_window)
        x_site = stack.enter_context(serve_app(site.app, host=host, port=ports.x_site))
        vision = None
        if ports.vision is not None:
            vision = stack.enter_context(serve_app(VisionServer().app, host=host, port=ports.vision))
        stack.callback(simulator.close)
        yield ServerAddresses(base, x_site, vision)
