"""Settings of the web process."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from found_footy.platform.http.access_tokens import AccessToken
from found_footy.platform.settings.groups import Duration, HttpUrl, SettingsGroup
from found_footy.web.trusted_proxies import NetworkText

# Here, because whoever configures an object store needs the path, and nothing else of the routes.
OBJECT_NOTIFICATIONS_PATH = "/api/v1/notifications/objects"


class WebSettings(SettingsGroup):
    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    """Address that the page is served on; loopback unless a proxy protects it."""

    port: Annotated[int, Field(ge=0, le=65_535)] = 8000
    """Port that the page is served on; 0 takes a free one."""

    admin_token: AccessToken | None = None
    """Secret of 16 characters or more: an API key of the scope admin without an owner, for programs that read metrics
    and the details of health before there are users."""

    metrics_port: Annotated[int, Field(ge=0, le=65_535)] = 0
    """Port of FOOTY_METRICS__HOST that serves the page's Prometheus metrics without a token; 0: none."""

    trusted_proxies: tuple[NetworkText, ...] = ()
    """Addresses or networks of the proxies in front of the page: the address they send in X-Forwarded-For is the
    visitor's, and the limits per address do not apply to them. X-Forwarded-For of others is ignored."""

    connections: Annotated[int, Field(ge=16)] = 512
    """Maximum number of connections, or what the limit of open files allows. An idle one is closed for a new one."""

    connections_per_peer: Annotated[int, Field(ge=1)] = 100
    """Maximum number of connections per address (IPv6: per /64)."""

    request_timeout: Duration = timedelta(seconds=10)
    """Timeout of receiving a request, and of a new connection until its first request."""

    send_timeout: Duration = timedelta(seconds=60)
    """Timeout of a visitor that stops reading a response."""

    upload_timeout: Duration = timedelta(minutes=5)
    """Timeout of receiving an image of an organization."""

    uploads_at_once: Annotated[int, Field(ge=1, le=256)] = 16
    """Images that this process receives of one organization at the same time; four times as many in total."""

    session: Duration = timedelta(hours=12)
    """How long somebody who signed in to an organization's page stays signed in."""

    presigned: Duration = timedelta(minutes=15)
    """How long a presigned address accepts an upload straight to the object store."""

    store_url: HttpUrl | None = None
    """Address under which uploaders reach the object store; without one, presigned addresses are given only where the
    object store's own address is not on this machine, or to callers on it."""

    public_url: HttpUrl | None = None
    """Address under which visitors reach the page, for links in cards, feeds and messages; by default the one that is
    requested."""

    temporal_url: HttpUrl | None = None
    """Address of a namespace in Temporal's web UI, such as http://127.0.0.1:8233/namespaces/default: goals link to
    their workflows there. Every visitor sees the address; the UI itself must be protected."""

    page_reuse: Duration = timedelta(seconds=1)
    """How long a cached page is served although something has changed."""

    stats_reuse: Duration = timedelta(seconds=30)
    """How long the figures over all matches are served before they are counted again."""

    live_clients: Annotated[int, Field(ge=1)] = 200
    """Maximum number of live stream connections."""

    live_clients_per_peer: Annotated[int, Field(ge=1)] = 20
    """Maximum number of live stream connections per address (IPv6: per /64)."""

    heartbeat: Duration = timedelta(seconds=15)
    """Interval of keep-alive comments in a quiet live stream."""

    probe_timeout: Duration = timedelta(seconds=8)
    """Timeout of a dependency check."""

    graceful_stop: Duration = timedelta(seconds=5)
    """How long running requests may take to finish when the process stops."""
