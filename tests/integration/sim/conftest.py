"""A simulator with a client, without a socket."""

from tests.support.sim.simulator_client import world

__all__ = ["world"]
