"""A simulator with a client, without a socket."""

from tests.support.sim.simulator_client import simulator

__all__ = ["simulator"]
