"""How many examples a property is tried with: the whole gate tries many, `make unit` a fifth of them."""

from hypothesis import settings


def times(factor: float) -> settings:
    """As many examples as the profile says, times the factor."""
    return settings(max_examples=round(factor * settings().max_examples), deadline=None)
