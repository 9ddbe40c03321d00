"""A seeded match day: matches, goals, a feed that misreports them, people who post, and the truth about all of it."""

from found_footy.sim.world.day import World, make_world
from found_footy.sim.world.sizes import Size
from found_footy.sim.world.truth import WorldTruth

__all__ = ["Size", "World", "WorldTruth", "make_world"]
