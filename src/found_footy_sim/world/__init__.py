"""A seeded match day: matches, goals, a feed that misreports them, people who post, and the ground truth of
all of it.
"""

from found_footy_sim.world.expected_outcomes import WorldTruth
from found_footy_sim.world.match_day import SimulatedWorld, make_world
from found_footy_sim.world.shares import WorldShares
from found_footy_sim.world.sizes import WorldSize

__all__ = ["SimulatedWorld", "WorldShares", "WorldSize", "WorldTruth", "make_world"]
