"""The documents of users, their sessions, keys, links and devices."""

from datetime import datetime
from typing import Required, TypedDict


class IdentityDocument(TypedDict):
    """Somebody at an identity provider."""

    issuer: str
    subject: str


class UserDocument(TypedDict, total=False):
    """A user, in `users`. `stamp` changes with the password and the role: sessions of another stamp have ended."""

    _id: Required[str]
    name: Required[str]
    role: Required[str]
    stamp: Required[str]
    created_at: Required[datetime]
    password_hash: str | None
    identity: IdentityDocument


class UserSessionDocument(TypedDict, total=False):
    """A session, in `user_sessions`, by the digest of its token; `notice` is what its next page says."""

    _id: Required[str]
    user_id: Required[str]
    stamp: Required[str]
    created_at: Required[datetime]
    seen_at: Required[datetime]
    idle_expires_at: Required[datetime]
    expires_at: Required[datetime]
    address: Required[str]
    agent: Required[str]
    notice: str


class ApiKeyDocument(TypedDict, total=False):
    """An API key, in `api_keys`, by its id; `expires_at` is absent if it does not expire."""

    _id: Required[str]
    user_id: Required[str]
    label: Required[str]
    scope: Required[str]
    salt: Required[str]
    digest: Required[str]
    created_at: Required[datetime]
    expires_at: datetime
    used_at: datetime


class OneTimeLinkDocument(TypedDict):
    """A one-time link, in `one_time_links`, by the digest of its token; `user_id` is None for the first admin."""

    _id: str
    user_id: str | None
    expires_at: datetime


class ShareLinkDocument(TypedDict):
    """A share link of a goal, in `share_links`, by the digest of its token."""

    _id: str
    link_id: str
    user_id: str
    event_id: str
    created_at: datetime
    expires_at: datetime


class KnownDeviceDocument(TypedDict):
    """A browser that a user has signed in with, in `known_devices`, by the digest of its token."""

    _id: str
    user_id: str
    expires_at: datetime


class OidcRequestDocument(TypedDict):
    """A sign-in that an identity provider has not answered yet, in `oidc_requests`, by the digest of its state."""

    _id: str
    nonce: str
    verifier: str
    target: str
    redirect_uri: str
    expires_at: datetime
