"""Tokens that a browser or a link carries and of which the database has the digest, and the CSRF token of a session."""

import hashlib
import hmac
import secrets

_TOKEN_BYTES = 32
MAX_TOKEN_LENGTH = 128


def generate_token() -> str:
    """Return 256 random bits as text for cookies and addresses."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def digest_token(token: str) -> str:
    """Return what is stored of a token. It cannot be guessed, so it needs no slow hash."""
    return hashlib.sha256(token.encode()).hexdigest()


def compute_csrf_token(token: str) -> str:
    """Return the text that a page of the given session sends with every change, and that no other page knows."""
    return hmac.new(token.encode(), b"csrf", hashlib.sha256).hexdigest()
