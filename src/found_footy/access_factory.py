"""Builds what access needs, from settings: for the page, for commands, and the link that makes the first admin."""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from found_footy.access.accounts import AccessStores, AccountService
from found_footy.access.indexes import ACCESS_INDEXES
from found_footy.access.oidc.client import OidcClient, build_oidc_http
from found_footy.access.passwords import PasswordHashing
from found_footy.archive.moderation import audit_log
from found_footy.platform import mongo
from found_footy.platform.mongo import Database
from found_footy.settings import Settings
from found_footy.web.accounts.deps import AccessDeps


def build_access_deps(settings: Settings, stack: AsyncExitStack) -> AccessDeps:
    """Raises ConfigError if the identity provider's settings do not fit together."""
    if settings.access.oidc_issuer is None:
        return AccessDeps(settings.access)
    http = build_oidc_http(settings.access, settings.trusted_hosts)
    stack.push_async_callback(http.aclose)
    return AccessDeps(settings.access, oidc=OidcClient(settings.access, http, time.monotonic))


@asynccontextmanager
async def open_accounts(settings: Settings) -> AsyncIterator[tuple[AccessStores, AccountService]]:
    """For commands: they need MongoDB only."""
    async with mongo.connect(settings.mongo.uri, settings.mongo.database, timeout=settings.mongo.timeout) as database:
        await mongo.ensure_indexes(database, (*ACCESS_INDEXES, *audit_log.INDEXES))
        yield _build_accounts(settings, database)


def _build_accounts(settings: Settings, database: Database) -> tuple[AccessStores, AccountService]:
    stores = AccessStores.from_database(database, settings.access)
    return stores, AccountService(stores, PasswordHashing())


async def make_first_admin_link(settings: Settings, database: Database, address: str) -> str | None:
    """Return the link by which the first admin is made; None if there are users."""
    _, accounts = _build_accounts(settings, database)
    token = await accounts.add_first_admin_link(settings.access.link)
    base = str(settings.web.public_url or address).rstrip("/")
    return f"{base}/welcome/{token}" if token else None
