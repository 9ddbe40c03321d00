"""Acts on users, keys, one-time links and share links, each with an audit entry that is written before it."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

from found_footy.access.key_store import ApiKey, ApiKeyStore
from found_footy.access.levels import AccessLevel, KeyScope, Role, list_scopes
from found_footy.access.passwords import PasswordHashing
from found_footy.access.rules import find_name_fault, find_password_fault, normalize_name
from found_footy.access.session_store import UserSessionStore
from found_footy.access.settings import AccessSettings
from found_footy.access.share_store import ShareLink, ShareLinkStore
from found_footy.access.ticket_store import OneTimeLink, TicketStore
from found_footy.access.user_store import User, UserStore, generate_stamp
from found_footy.archive.moderation.audit_log import AuditAction, AuditEntry, AuditLog, record_action
from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.errors import BadInput, Conflict, NotFound
from found_footy.platform.mongo import Database

MAX_LABEL_LENGTH = 60
# What somebody must be allowed to do who lets others see a goal.
SHARING_LEVEL = AccessLevel.CURATE
FIRST_ADMIN_ACTOR = "the first admin's link"
_LINK_OVER = "The link was used, has expired, or was replaced by a newer one."


@dataclass(frozen=True)
class AccessStores:
    users: UserStore
    sessions: UserSessionStore
    keys: ApiKeyStore
    tickets: TicketStore
    shares: ShareLinkStore
    audit_log: AuditLog

    @classmethod
    def from_database(cls, database: Database, settings: AccessSettings, now: Clock = utc_now) -> "AccessStores":
        users = UserStore(database)
        return cls(
            users,
            UserSessionStore(database, users, settings.idle, settings.session, now),
            ApiKeyStore(database, users, now),
            TicketStore(database, now),
            ShareLinkStore(database, now),
            AuditLog(database),
        )


class AccountService:
    """`actor` is who requests an act: a user's name, or on the machine itself the name of its user."""

    def __init__(self, stores: AccessStores, passwords: PasswordHashing, now: Clock = utc_now) -> None:
        self._stores = stores
        self._passwords = passwords
        self._now = now

    async def add_user(self, actor: str, name: str, role: Role, password: str | None) -> User:
        """Add a user. Without a password they choose one by a link. Raises BadInput, and Conflict if the name is
        taken.
        """
        name = self._require_name(name)
        hashed = None if password is None else await self._hash_new(password, name)
        user = User(uuid4().hex, name, role, generate_stamp(), self._now(), hashed)
        async with self._record(actor, AuditAction.ADD_USER, f"user:{name}", reason=f"as {role}"):
            if not await self._stores.users.add(user):
                raise Conflict(f"there is a user {name} already")
        return user

    async def require_user(self, name: str) -> User:
        user = await self._stores.users.find_by_name(normalize_name(name))
        if user is None:
            raise NotFound(f"there is no user {name}")
        return user

    async def set_role(self, actor: str, name: str, role: Role) -> bool:
        """Give a user another role and sign them out everywhere; False if they have it already."""
        user = await self.require_user(name)
        if user.role is role:
            return False
        reason = f"{user.role} becomes {role}"
        async with self._record(actor, AuditAction.SET_ROLE, f"user:{user.name}", reason=reason):
            changed = await self._stores.users.set_role(user.user_id, role)
            await self._stores.sessions.close_all(user.user_id)
        return changed

    async def set_password(self, actor: str, name: str, password: str) -> User:
        """Set a password and sign the user out everywhere; returns the user with the stamp of new sessions."""
        user = await self.require_user(name)
        hashed = await self._hash_new(password, user.name)
        async with self._record(actor, AuditAction.SET_PASSWORD, f"user:{user.name}"):
            if not await self._stores.users.set_password(user.user_id, hashed):
                raise NotFound(f"there is no user {user.name} any more")
            await self._stores.sessions.close_all(user.user_id)
        return await self.require_user(user.name)

    async def end_session(self, actor: str, user: User, session_id: str) -> None:
        """End one session of the user; one that is over already, or another user's, is left alone."""
        async with self._record(actor, AuditAction.SIGN_OUT, f"user:{user.name}", reason="one session"):
            await self._stores.sessions.close_one(user.user_id, session_id)

    async def end_sessions(self, actor: str, user: User) -> None:
        async with self._record(actor, AuditAction.SIGN_OUT, f"user:{user.name}", reason="everywhere"):
            await self._stores.users.end_sessions(user.user_id)
            await self._stores.sessions.close_all(user.user_id)

    async def remove_user(self, actor: str, name: str) -> None:
        """Remove a user; sessions, keys and share links end with the user, whose document every request looks for."""
        user = await self.require_user(name)
        async with self._record(actor, AuditAction.REMOVE_USER, f"user:{user.name}", reason=f"was {user.role}"):
            await self._stores.users.remove(user.user_id)
            await self._stores.sessions.close_all(user.user_id)
            await self._stores.keys.revoke_all(user.user_id)
            await self._stores.shares.revoke_all(user.user_id)

    async def invite(self, actor: str, name: str, lifetime: timedelta) -> str:
        """Return the token of a one-time link by which the user chooses a password."""
        user = await self.require_user(name)
        async with self._record(actor, AuditAction.INVITE_USER, f"user:{user.name}"):
            return await self._stores.tickets.add_link(user.user_id, lifetime)

    async def add_first_admin_link(self, lifetime: timedelta) -> str | None:
        """Return the token of the link that makes the first admin; None if there are users."""
        if not await self._stores.users.is_empty():
            return None
        return await self._stores.tickets.add_link(None, lifetime)

    async def find_link(self, token: str) -> tuple[OneTimeLink, User | None]:
        """Return a link that can be used, and its user. Raises NotFound if it cannot."""
        link = await self._stores.tickets.find_link(token)
        if link is None or (link.user_id is None and not await self._stores.users.is_empty()):
            raise NotFound(_LINK_OVER)
        user = await self._stores.users.get(link.user_id) if link.user_id else None
        if link.user_id and user is None:
            raise NotFound(_LINK_OVER)
        return link, user

    async def use_link(self, token: str, name: str, password: str) -> User:
        """Make the first admin, or set the password of the link's user. Raises BadInput for a name or password that
        is refused, which does not use the link up; NotFound if it was used or has expired.
        """
        _, user = await self.find_link(token)
        fault = find_password_fault(password, user.name if user else self._require_name(name))
        if fault:
            raise BadInput(fault)
        if await self._stores.tickets.use_link(token) is None:
            raise NotFound(_LINK_OVER)
        if user is not None:
            return await self.set_password(user.name, user.name, password)
        return await self.add_user(FIRST_ADMIN_ACTOR, name, Role.ADMIN, password)

    async def find_by_password(self, name: str, password: str) -> User | None:
        """Return the user whose name and password these are; the time taken does not depend on whether the name
        exists.
        """
        user = await self._stores.users.find_by_name(normalize_name(name))
        stored = user.password_hash if user else None
        if not await self._passwords.is_right(password, stored) or user is None or stored is None:
            return None
        if self._passwords.is_outdated(stored):
            renewed = await self._passwords.hash_password(password)
            await self._stores.users.renew_hash(user.user_id, stored, renewed)
        return user

    async def find_or_add_external(self, issuer: str, subject: str, name: str, role: Role) -> User:
        """Return the user of an identity provider's subject, with the role that it gives now; a new one gets a name
        that is free.
        """
        known = await self._stores.users.find_by_identity(issuer, subject)
        if known is not None:
            await self.set_role("the identity provider", known.name, role)
            return await self.require_user(known.name)
        for free in (name, f"{name[:50]}-{uuid4().hex[:8]}"):
            user = User(uuid4().hex, free, role, generate_stamp(), self._now(), None, is_external=True)
            async with self._record("the identity provider", AuditAction.ADD_USER, f"user:{free}", reason=f"as {role}"):
                added = await self._stores.users.add(user, (issuer, subject))
            if added:
                return user
        raise Conflict(f"no name is free for {name}")

    async def add_key(
        self, actor: str, user: User, label: str, scope: KeyScope, lifetime: timedelta | None
    ) -> tuple[str, ApiKey]:
        """Return a new key of the user, which is shown once. Raises BadInput for a scope beyond the user's role."""
        label = " ".join(label.split())
        if not label or len(label) > MAX_LABEL_LENGTH:
            raise BadInput(f"A key needs a label of at most {MAX_LABEL_LENGTH} characters.")
        if scope not in list_scopes(user.role):
            raise BadInput(f"A {user.role} cannot have a key of the scope {scope}.")
        async with self._record(actor, AuditAction.ADD_KEY, f"user:{user.name}", reason=f"{label}, scope {scope}"):
            return await self._stores.keys.add(user, label, scope, lifetime)

    async def revoke_key(self, actor: str, key_id: str, user: User | None = None) -> None:
        """Revoke a key, of this user only if one is given. Raises NotFound without it."""
        async with self._record(actor, AuditAction.REVOKE_KEY, f"key:{key_id}"):
            if not await self._stores.keys.revoke(key_id, user.user_id if user else None):
                raise NotFound(f"there is no key {key_id}")

    async def add_share_link(self, actor: str, user: User, event_id: str, lifetime: timedelta) -> tuple[str, ShareLink]:
        """Return the token of a new share link of the goal, which is shown once."""
        async with self._record(actor, AuditAction.ADD_SHARE_LINK, f"goal:{event_id}", reason=f"for {lifetime}"):
            return await self._stores.shares.add(user.user_id, event_id, lifetime)

    async def revoke_share_link(self, actor: str, link_id: str, user: User | None = None) -> None:
        """Revoke a share link, of this user only if one is given. Raises NotFound without it."""
        async with self._record(actor, AuditAction.REVOKE_SHARE_LINK, f"share:{link_id}"):
            if not await self._stores.shares.revoke(link_id, user.user_id if user else None):
                raise NotFound(f"there is no share link {link_id}")

    async def find_share_link(self, token: str) -> ShareLink | None:
        """Return the link of a token; None if it is over, or if whoever made it may not make one any more."""
        link = await self._stores.shares.find(token)
        user = await self._stores.users.get(link.user_id) if link else None
        return link if user is not None and user.role.level >= SHARING_LEVEL else None

    async def record_sign_in(self, user: User, address: str, way: str) -> None:
        async with self._record(user.name, AuditAction.SIGN_IN, f"user:{user.name}", reason=f"{way}, from {address}"):
            pass

    def _record(
        self, actor: str, action: AuditAction, target: str, reason: str = ""
    ) -> AbstractAsyncContextManager[None]:
        entry = AuditEntry(uuid4().hex, self._now(), actor, action, (target,), reason=reason)
        return record_action(self._stores.audit_log, entry, self._now)

    def _require_name(self, name: str) -> str:
        name = normalize_name(name)
        if fault := find_name_fault(name):
            raise BadInput(fault)
        return name

    async def _hash_new(self, password: str, name: str) -> str:
        if fault := find_password_fault(password, name):
            raise BadInput(fault)
        return await self._passwords.hash_password(password)
