"""Users and browsers for tests of access, with password hashes that cost little."""

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import httpx
from argon2 import PasswordHasher

from found_footy.access.accounts import AccessStores, AccountService
from found_footy.access.levels import Role
from found_footy.access.oidc.client import OidcClient
from found_footy.access.passwords import PasswordHashing
from found_footy.access.settings import AccessSettings
from found_footy.web.accounts.deps import AccessDeps
from found_footy.web.app import create_app
from found_footy.web.deps import WebDeps

PASSWORD = "nine lives and a ball"
SITE = "http://footy.test"


def cheap_passwords() -> PasswordHashing:
    return PasswordHashing(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


class AdjustableClock:
    """The time of day as a test sets it."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC).replace(microsecond=0)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, by: timedelta) -> None:
        self.now += by


@dataclass(frozen=True)
class AccessSite:
    """The application with users of the test's own."""

    deps: WebDeps
    clock: AdjustableClock

    @property
    def access(self) -> AccessDeps:
        assert self.deps.access is not None
        return self.deps.access

    @property
    def stores(self) -> AccessStores:
        return AccessStores.from_database(self.deps.database, self.access.settings, self.clock)

    @property
    def accounts(self) -> AccountService:
        return AccountService(self.stores, self.access.passwords, self.clock)

    def with_access(self, *, oidc: OidcClient | None = None, **settings: Any) -> "AccessSite":
        changed = self.access.settings.model_copy(update=settings)
        return replace(self, deps=replace(self.deps, access=replace(self.access, settings=changed, oidc=oidc)))

    def with_web(self, **settings: Any) -> "AccessSite":
        return replace(self, deps=replace(self.deps, settings=self.deps.settings.model_copy(update=settings)))

    def open_browser(self, *, host: str = "203.0.113.9", site: str = SITE) -> "Browser":
        transport = httpx.ASGITransport(create_app(self.deps), client=(host, 4711))
        return Browser(httpx.AsyncClient(transport=transport, base_url=site, headers={"accept": "text/html"}))

    async def add_user(self, name: str, role: Role = Role.VIEWER) -> None:
        await self.accounts.add_user("the test", name, role, PASSWORD)

    async def sign_in(self, name: str, role: Role, **options: Any) -> "Browser":
        """A browser of a new user of this role."""
        await self.add_user(name, role)
        browser = self.open_browser(**options)
        answer = await browser.sign_in(name)
        assert answer.status_code == 303, answer.text
        return browser

    async def audited(self, action: str) -> list[dict[str, Any]]:
        rows = [row async for row in self.stores.audit_log.read_history(limit=500)]
        return [row for row in rows if row["what"] == action]


@dataclass(frozen=True)
class Browser:
    """Sends forms as a page of the site does."""

    client: httpx.AsyncClient

    async def sign_in(self, name: str, password: str = PASSWORD, target: str = "") -> httpx.Response:
        return await self.send("/sign-in", name=name, password=password, next=target)

    async def send(self, path: str, **fields: str) -> httpx.Response:
        return await self.client.post(path, data=fields)

    async def read_csrf_token(self, path: str = "/account") -> str:
        found = re.search(r'name="csrf_token" value="([0-9a-f]{64})"', (await self.client.get(path)).text)
        assert found is not None, path
        return found[1]

    async def change(self, path: str, **fields: str) -> httpx.Response:
        """Send a form with the CSRF token of the session."""
        return await self.send(path, csrf_token=await self.read_csrf_token(), **fields)


async def open_admin_session(deps: WebDeps) -> str:
    """The token of a session of a new admin: a browser sends it as the cookie of users."""
    access = deps.access or AccessDeps()
    stores = AccessStores.from_database(deps.database, access.settings, access.now)
    accounts = AccountService(stores, cheap_passwords(), access.now)
    admin = await accounts.add_user("the test", f"admin-{uuid4().hex[:8]}", Role.ADMIN, PASSWORD)
    return await stores.sessions.open(admin, "203.0.113.9", "")


def build_access_deps(settings: AccessSettings | None = None, clock: AdjustableClock | None = None) -> AccessDeps:
    return AccessDeps(settings or AccessSettings(), cheap_passwords(), now=clock or AdjustableClock())
