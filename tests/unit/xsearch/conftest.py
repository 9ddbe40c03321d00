"""The search service around stand-ins for the browser."""

from tests.support.xsearch.stand_in_browser import make, stand_ins

__all__ = ["make", "stand_ins"]
