"""Sign-in by an OpenID Connect provider: authorization code with PKCE, state and nonce."""

import base64
import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from pydantic import ValidationError

from found_footy.access.levels import Role
from found_footy.access.oidc.id_token import find_key, read_key_id, verify_id_token
from found_footy.access.oidc.provider_wire import SYSTEM, KeySetAnswer, ProviderMetadata, TokenAnswer
from found_footy.access.rules import choose_role, suggest_name
from found_footy.access.settings import AccessSettings
from found_footy.access.ticket_store import OidcRequest
from found_footy.platform.clock import MonotonicClock
from found_footy.platform.errors import ConfigError, Denied, Malformed
from found_footy.platform.http.client import HttpResponse, SafeHttpClient
from found_footy.platform.settings.addresses import host_and_port
from found_footy.platform.wire import WireModel, describe_validation_error

_OK = 200
_CLIENT_ERRORS = range(400, 500)
_REUSE = timedelta(hours=1)
# A token signed by an unknown key makes us ask for the keys again, this often at most.
_KEYS_INTERVAL = timedelta(minutes=1)
_MAX_ANSWER_BYTES = 256 * 1024
T = TypeVar("T", bound=WireModel)


@dataclass(frozen=True)
class ExternalIdentity:
    """Somebody whom the provider vouches for; `role` is None if none of their groups has one here."""

    issuer: str
    subject: str
    name: str
    role: Role | None


@dataclass
class _ProviderCache:
    metadata: ProviderMetadata | None = None
    metadata_at: float = 0.0
    keys: list[dict[str, Any]] = field(default_factory=list)
    keys_at: float = 0.0


def build_oidc_http(settings: AccessSettings, trusted_hosts: tuple[str, ...]) -> SafeHttpClient:
    """Raises ConfigError for an issuer without encryption, unless it is one of the trusted private hosts."""
    issuer = str(settings.oidc_issuer)
    named = host_and_port(issuer)
    if not issuer.startswith("https://") and named not in trusted_hosts:
        raise ConfigError("FOOTY_ACCESS__OIDC_ISSUER must be an https:// address")
    if not settings.oidc_client_id:
        raise ConfigError("FOOTY_ACCESS__OIDC_ISSUER is set, so FOOTY_ACCESS__OIDC_CLIENT_ID must be set too")
    return SafeHttpClient(
        system=SYSTEM,
        allowed_hosts=(named, *settings.oidc_hosts),
        trusted_private=trusted_hosts,
        timeout=settings.oidc_timeout,
        max_bytes=_MAX_ANSWER_BYTES,
    )


def build_request(target: str, redirect_uri: str) -> OidcRequest:
    return OidcRequest(secrets.token_urlsafe(32), secrets.token_urlsafe(48), target, redirect_uri)


class OidcClient:
    def __init__(self, settings: AccessSettings, http: SafeHttpClient, monotonic: MonotonicClock) -> None:
        self._settings = settings
        self._issuer = str(settings.oidc_issuer)
        self._http = http
        self._monotonic = monotonic
        self._cache = _ProviderCache()

    @property
    def label(self) -> str:
        return self._settings.oidc_label

    async def build_authorization_url(self, state: str, request: OidcRequest) -> str:
        """Return the address at the provider that the browser goes to."""
        metadata = await self._get_metadata()
        challenge = base64.urlsafe_b64encode(hashlib.sha256(request.verifier.encode()).digest()).rstrip(b"=").decode()
        query = urlencode(
            {
                "response_type": "code",
                "client_id": self._settings.oidc_client_id,
                "redirect_uri": request.redirect_uri,
                "scope": " ".join(self._settings.oidc_scopes),
                "state": state,
                "nonce": request.nonce,
                "code_challenge": challenge,
                "code_challenge_method": "S256",
            }
        )
        return f"{metadata.authorization_endpoint}{'&' if '?' in metadata.authorization_endpoint else '?'}{query}"

    async def identify(self, code: str, request: OidcRequest) -> ExternalIdentity:
        """Exchange the code for an id token and return whom it names. Raises Denied if the provider refuses the code
        or the token is not valid, else Unavailable and Malformed.
        """
        token = await self._exchange(code, request)
        key_id = read_key_id(token)
        key = find_key(await self._get_keys(), key_id) or find_key(await self._get_keys(renewed=True), key_id)
        if key is None:
            raise Denied(SYSTEM, "its id token is signed with a key that it does not list")
        issuer = (await self._get_metadata()).issuer
        claims = verify_id_token(
            token, key, issuer=issuer, client_id=self._settings.oidc_client_id, nonce=request.nonce
        )
        subject = str(claims["sub"])
        role = choose_role(claims.get(self._settings.oidc_role_claim), self._role_values())
        name = suggest_name(claims.get(self._settings.oidc_name_claim), subject)
        return ExternalIdentity(issuer, subject, name, role)

    def _role_values(self) -> Mapping[Role, tuple[str, ...]]:
        settings = self._settings
        return {
            Role.VIEWER: settings.oidc_viewers,
            Role.CURATOR: settings.oidc_curators,
            Role.ADMIN: settings.oidc_admins,
        }

    async def _exchange(self, code: str, request: OidcRequest) -> str:
        metadata, secret = await self._get_metadata(), self._settings.oidc_client_secret
        client_id = self._settings.oidc_client_id
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": request.redirect_uri,
            "code_verifier": request.verifier,
        }
        headers = {"accept": "application/json"}
        if secret is not None and metadata.takes_basic_secret:
            pair = f"{quote(client_id, safe='')}:{quote(secret.get_secret_value(), safe='')}"
            headers["authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        else:
            form["client_id"] = client_id
            form |= {"client_secret": secret.get_secret_value()} if secret else {}
        answer = await self._http.request("POST", metadata.token_endpoint, headers=headers, form=form)
        if answer.status in _CLIENT_ERRORS:
            raise Denied(SYSTEM, f"it refused the sign-in (status {answer.status})")
        return _parse(answer, TokenAnswer).id_token

    async def _get_metadata(self) -> ProviderMetadata:
        now, cache = self._monotonic(), self._cache
        if cache.metadata is not None and now - cache.metadata_at < _REUSE.total_seconds():
            return cache.metadata
        address = f"{self._issuer.rstrip('/')}/.well-known/openid-configuration"
        metadata = _parse(await self._http.request("GET", address), ProviderMetadata)
        # Settings have no slash at the end of an address, some issuers do; what the provider says counts.
        if metadata.issuer.rstrip("/") != self._issuer:
            raise Malformed(SYSTEM, f"its discovery document names the issuer {metadata.issuer[:200]}")
        cache.metadata, cache.metadata_at = metadata, now
        return metadata

    async def _get_keys(self, *, renewed: bool = False) -> list[dict[str, Any]]:
        now, cache = self._monotonic(), self._cache
        limit = _KEYS_INTERVAL if renewed else _REUSE
        if cache.keys and now - cache.keys_at < limit.total_seconds():
            return cache.keys
        metadata = await self._get_metadata()
        cache.keys = _parse(await self._http.request("GET", metadata.jwks_uri), KeySetAnswer).keys
        cache.keys_at = now
        return cache.keys


def _parse(answer: HttpResponse, model: type[T]) -> T:
    if answer.status != _OK:
        raise Malformed(SYSTEM, f"it answered with status {answer.status}")
    try:
        return model.model_validate(answer.json())
    except ValidationError as error:
        raise Malformed(SYSTEM, describe_validation_error(error)) from error
