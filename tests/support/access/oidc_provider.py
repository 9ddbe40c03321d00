"""A small real OpenID Connect provider on loopback: discovery, authorization code with PKCE, signed id tokens."""

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.support.loopback_services import served

CLIENT_ID, CLIENT_SECRET = "found-footy", "the secret of the client"


@dataclass
class OidcProvider:
    """Signs in whom a test says. `overrides` change claims, `algorithm` and `key` the signature of the next tokens."""

    issuer: str = ""
    slash: str = ""
    claims: dict[str, Any] = field(default_factory=lambda: {"sub": "42", "preferred_username": "Ada"})
    overrides: dict[str, Any] = field(default_factory=dict)
    algorithm: str = "RS256"
    key: Any = field(default_factory=lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048))
    signing_key: Any = None
    is_broken: bool = False
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def build_app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._describe),
                Route("/keys", self._list_keys),
                Route("/token", self._exchange, methods=["POST"]),
            ]
        )

    def sign_in(self, address: str) -> str:
        """What a browser brings back from the authorization page: the query of the callback."""
        parts = urlsplit(address)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        assert f"{parts.scheme}://{parts.netloc}{parts.path}" == f"{self.issuer}/authorize"
        assert (asked["response_type"], asked["client_id"]) == ("code", CLIENT_ID)
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe()
        self.codes[code] = asked
        return urlencode({"code": code, "state": asked["state"]})

    async def _describe(self, _: Request) -> Response:
        if self.is_broken:
            return Response("<html>maintenance</html>", 503)
        return JSONResponse(
            {
                "issuer": f"{self.issuer}{self.slash}",
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
            }
        )

    async def _list_keys(self, _: Request) -> Response:
        public = json.loads(RSAAlgorithm.to_jwk(self.key.public_key()))
        return JSONResponse({"keys": [public | {"kid": "one", "use": "sig", "alg": "RS256"}]})

    async def _exchange(self, request: Request) -> Response:
        form = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        asked = self.codes.pop(form.get("code", ""), None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=")
        pair = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET.replace(' ', '%20')}".encode()).decode()
        is_right = (
            asked is not None
            and asked["code_challenge"] == challenge.decode()
            and asked["redirect_uri"] == form["redirect_uri"]
            and request.headers.get("authorization") == f"Basic {pair}"
        )
        if not is_right or asked is None:
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = int(time.time())
        claims = {
            "iss": f"{self.issuer}{self.slash}",
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
        }
        token = jwt.encode(
            claims | self.claims | self.overrides,
            self.signing_key if self.signing_key is not None else self.key,
            algorithm=self.algorithm,
            headers={"kid": "one"},
        )
        return JSONResponse({"access_token": "unused", "token_type": "Bearer", "id_token": token})


@contextmanager
def run_provider() -> Iterator[OidcProvider]:
    provider = OidcProvider()
    with served(provider.build_app()) as address:
        provider.issuer = address
        yield provider
