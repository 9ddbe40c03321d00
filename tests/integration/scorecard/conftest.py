"""The page of a test's own, for what watches it."""

from tests.support.web.page import address, deps, objects, page_data

__all__ = ["address", "deps", "objects", "page_data"]
