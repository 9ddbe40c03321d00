"""The components of access in one running web process."""

from dataclasses import dataclass, field
from functools import cached_property

from found_footy.access.accounts import AccessStores, AccountService
from found_footy.archive.moderation.service import ModerationService
from found_footy.archive.moderation.store import ModerationStore
from found_footy.platform.http.access_tokens import MAX_WRONG_TOKENS, WRONG_TOKEN_WINDOW, AttemptWindow
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.web.accounts.deps import AccessDeps
from found_footy.web.accounts.sign_in_limits import SignInLimits


@dataclass(frozen=True)
class AccessState:
    """The stores are opened at their first use: most requests of public mode need none."""

    deps: AccessDeps
    database: Database
    objects: ObjectStore
    limits: SignInLimits = field(default_factory=SignInLimits)
    wrong_keys: AttemptWindow = field(
        default_factory=lambda: AttemptWindow(MAX_WRONG_TOKENS, WRONG_TOKEN_WINDOW.total_seconds())
    )

    password_changes: AttemptWindow = field(
        default_factory=lambda: AttemptWindow(MAX_WRONG_TOKENS, WRONG_TOKEN_WINDOW.total_seconds())
    )

    @cached_property
    def stores(self) -> AccessStores:
        return AccessStores.from_database(self.database, self.deps.settings, self.deps.now)

    @cached_property
    def accounts(self) -> AccountService:
        return AccountService(self.stores, self.deps.passwords, self.deps.now)

    @cached_property
    def moderation(self) -> ModerationService:
        return ModerationService(ModerationStore(self.database), self.stores.audit_log, self.objects, self.deps.now)
