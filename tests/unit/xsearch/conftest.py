"""The search service around stand-ins for the browser."""

from tests.support.xsearch.stand_in_browser import kit, make

__all__ = ["kit", "make"]
