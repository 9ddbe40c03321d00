"""How many examples a property is tried with.

`make unit` tries two fifths of the examples of the gate, `make exhaustive` four times as many as the gate.
"""

from hypothesis import settings


def times(factor: float) -> settings:
    """As many examples as the profile says, times the factor."""
    return settings(max_examples=round(factor * settings().max_examples), deadline=None)
