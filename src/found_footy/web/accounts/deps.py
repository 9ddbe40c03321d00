"""Dependencies of access. The composition root builds them."""

from dataclasses import dataclass, field

from found_footy.access.oidc.client import OidcClient
from found_footy.access.passwords import PasswordHashing
from found_footy.access.settings import AccessSettings
from found_footy.platform.clock import Clock, utc_now


@dataclass(frozen=True)
class AccessDeps:
    """Without `oidc` nobody signs in by an identity provider."""

    settings: AccessSettings = field(default_factory=AccessSettings)
    passwords: PasswordHashing = field(default_factory=PasswordHashing)
    oidc: OidcClient | None = None
    now: Clock = utc_now
