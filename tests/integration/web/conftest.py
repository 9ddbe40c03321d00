"""The web application over a database and a bucket of the test's own."""

from tests.support.web.browser import browser
from tests.support.web.page import address, client, deps, objects, page_data

__all__ = ["address", "browser", "client", "deps", "objects", "page_data"]
