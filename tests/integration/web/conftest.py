"""The web application over a database and a bucket of the test's own."""

from tests.support.web.page import address, client, deps, objects, page_data

__all__ = ["address", "client", "deps", "objects", "page_data"]
