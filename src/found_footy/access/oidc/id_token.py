"""Verification of id tokens: signature, issuer, audience, times, nonce. Raises Denied for a token that fails."""

import hmac
from typing import Any

import jwt

from found_footy.access.oidc.provider_wire import SYSTEM
from found_footy.platform.errors import Denied

# Signatures with the provider's private key. None of these can be made with a secret that is public, or with none.
_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
_REQUIRED_CLAIMS = ["exp", "iat", "iss", "aud", "sub", "nonce"]
_LEEWAY_SECONDS = 60


def read_key_id(token: str) -> str | None:
    """Return which of the provider's keys signed the token; None if it does not say."""
    try:
        found = jwt.get_unverified_header(token).get("kid")
    except jwt.InvalidTokenError as error:
        raise Denied(SYSTEM, f"its id token cannot be read: {error}") from error
    return found if isinstance(found, str) else None


def find_key(keys: list[dict[str, Any]], key_id: str | None) -> jwt.PyJWK | None:
    """Return the key with the id; without an id, the only one there is."""
    signing = [key for key in keys if key.get("use", "sig") == "sig" and key.get("kty") != "oct"]
    named = [key for key in signing if key.get("kid") == key_id] if key_id else signing
    try:
        return jwt.PyJWK(named[0]) if len(named) == 1 else None
    except jwt.PyJWTError as error:
        raise Denied(SYSTEM, f"its key cannot be used: {error}") from error


def verify_id_token(token: str, key: jwt.PyJWK, *, issuer: str, client_id: str, nonce: str) -> dict[str, Any]:
    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=_ALGORITHMS,
            audience=client_id,
            issuer=issuer,
            leeway=_LEEWAY_SECONDS,
            options={"require": _REQUIRED_CLAIMS},
        )
    except jwt.PyJWTError as error:
        raise Denied(SYSTEM, f"its id token is not valid: {error}") from error
    if not hmac.compare_digest(str(claims["nonce"]).encode(), nonce.encode()):
        raise Denied(SYSTEM, "its id token answers another request")
    if isinstance(claims["aud"], list) and len(claims["aud"]) > 1 and claims.get("azp") != client_id:
        raise Denied(SYSTEM, "its id token was issued to another client")
    return claims
