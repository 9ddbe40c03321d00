"""What an OpenID Connect provider sends: its discovery document, its keys, its token response."""

from typing import Any

from found_footy.platform.wire import WireModel

SYSTEM = "identity provider"


class ProviderMetadata(WireModel):
    """The discovery document."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    token_endpoint_auth_methods_supported: list[str] = ["client_secret_basic"]  # noqa: RUF012  pydantic copies it

    @property
    def takes_basic_secret(self) -> bool:
        return "client_secret_basic" in self.token_endpoint_auth_methods_supported


class KeySetAnswer(WireModel):
    keys: list[dict[str, Any]]


class TokenAnswer(WireModel):
    id_token: str
