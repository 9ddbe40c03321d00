"""Settings of access to the pages and the API."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field, SecretStr

from found_footy.platform.settings.groups import Duration, HttpUrl, SettingsGroup


class AccessSettings(SettingsGroup):
    public: bool = True
    """Whether anybody may view; off: pages, API, feeds, clips and the live stream need signing in or an API key."""

    idle: Duration = timedelta(days=7)
    """How long a session lasts without a request."""

    session: Duration = timedelta(days=30)
    """How long a session lasts at most."""

    link: Duration = timedelta(hours=1)
    """How long the one-time link to make the first admin is valid."""

    invitation: Duration = timedelta(days=3)
    """How long a one-time link to choose a password is valid, which an admin hands out."""

    share: Annotated[Duration, Field(le=timedelta(days=365))] = timedelta(days=30)
    """How long a share link of a goal is valid."""

    oidc_issuer: HttpUrl | None = None
    """Issuer of an OpenID Connect provider by which people may sign in, as its discovery document names it."""

    oidc_client_id: str = ""
    """Name by which the OpenID Connect provider knows this installation."""

    oidc_client_secret: SecretStr | None = None
    """Secret for the OpenID Connect provider; a public client has none."""

    oidc_label: Annotated[str, Field(max_length=40)] = "single sign-on"
    """What the sign-in page calls the OpenID Connect provider."""

    oidc_scopes: tuple[str, ...] = ("openid", "profile")
    """Scopes that are asked of the OpenID Connect provider, which decide what claims it sends."""

    oidc_role_claim: str = "groups"
    """Claim of the id token whose values stand for roles."""

    oidc_name_claim: str = "preferred_username"
    """Claim of the id token that becomes the user's name."""

    oidc_viewers: tuple[str, ...] = ()
    """Values of the role claim that make somebody a viewer."""

    oidc_curators: tuple[str, ...] = ()
    """Values of the role claim that make somebody a curator."""

    oidc_admins: tuple[str, ...] = ()
    """Values of the role claim that make somebody an admin."""

    oidc_hosts: tuple[str, ...] = ()
    """Further host:port addresses of the OpenID Connect provider, where its tokens or keys come from another host."""

    oidc_timeout: Duration = timedelta(seconds=10)
    """Timeout of a request to the OpenID Connect provider."""
