"""The web application with users of the test's own."""

from dataclasses import replace

import pytest

from found_footy.access.indexes import ACCESS_INDEXES
from found_footy.archive.moderation import audit_log
from found_footy.platform import mongo
from found_footy.web.deps import WebDeps
from tests.support.access.accounts import AccessSite, AdjustableClock, build_access_deps
from tests.support.web.page import address, client, deps, objects, page_data

__all__ = ["address", "client", "deps", "objects", "page_data"]


@pytest.fixture
async def site(deps: WebDeps) -> AccessSite:
    clock = AdjustableClock()
    await mongo.ensure_indexes(deps.database, (*ACCESS_INDEXES, *audit_log.INDEXES))
    return AccessSite(replace(deps, access=build_access_deps(clock=clock)), clock)
