"""The page of an organization over a database and a bucket of the test's own."""

from collections.abc import AsyncIterator

import pytest
from temporalio.client import Client

from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from tests.support.uploads.organization_page import OrganizationPage, open_organization_page
from tests.support.web.browser import browser

__all__ = ["browser", "organization_page"]


@pytest.fixture
async def organization_page(
    database: Database, objects: ObjectStore, temporal: Client
) -> AsyncIterator[OrganizationPage]:
    async with open_organization_page(database, objects, temporal) as page:
        yield page
