"""Keys that this product issues. Only a salted digest is stored; the key itself is shown once, when it is made.

A key is `{prefix}_{key id}_{secret}`: the id finds its owner, the secret of 256 random bits proves the right to it.
Because the secret cannot be guessed, one HMAC is enough: a slow hash protects only secrets that people choose.
"""

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass

ORGANIZATION_KEY_PREFIX = "ffk"
API_KEY_PREFIX = "ffa"
_KEY_PATTERN = re.compile(r"(?P<prefix>[a-z]{3})_(?P<key_id>[0-9a-f]{12})_[A-Za-z0-9_-]{43}", re.ASCII)
_KEY_ID_BYTES = 6
_SECRET_BYTES = 32
_SALT_BYTES = 16


@dataclass(frozen=True)
class KeyRecord:
    """What is stored of a key."""

    key_id: str
    salt: str
    digest: str


def generate_key(prefix: str = ORGANIZATION_KEY_PREFIX) -> tuple[str, KeyRecord]:
    """Return a new key, and what is stored of it."""
    key_id, salt = secrets.token_hex(_KEY_ID_BYTES), secrets.token_hex(_SALT_BYTES)
    key = f"{prefix}_{key_id}_{secrets.token_urlsafe(_SECRET_BYTES)}"
    return key, KeyRecord(key_id, salt, compute_digest(key, salt))


def compute_digest(key: str, salt: str) -> str:
    return hmac.new(bytes.fromhex(salt), key.encode(), hashlib.sha256).hexdigest()


def parse_key_id(key: str, prefix: str = ORGANIZATION_KEY_PREFIX) -> str | None:
    """Return the id that a key names; None for a text that is no key of this kind."""
    found = _KEY_PATTERN.fullmatch(key)
    return found["key_id"] if found and found["prefix"] == prefix else None


def is_right_key(key: str, record: KeyRecord) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(compute_digest(key, record.salt), record.digest)
