"""Settings of the web process."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from found_footy.platform.http.access_tokens import AccessToken
from found_footy.platform.settings.groups import Duration, SettingsGroup
from found_footy.web.trusted_proxies import NetworkText


class WebSettings(SettingsGroup):
    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    """Address that the page is served on; loopback unless something guards it."""

    port: Annotated[int, Field(ge=0, le=65_535)] = 8000
    """Port that the page is served on; 0 takes a free one."""

    admin_token: AccessToken | None = None
    """Secret of 16 characters or more; whoever sends it may add clips and see the details of /health, /readyz and
    /metrics. Without one, nobody may over HTTP."""

    metrics_port: Annotated[int, Field(ge=0, le=65_535)] = 0
    """Port of FOOTY_METRICS__HOST that serves the page's Prometheus figures without a token; 0 serves none there."""

    trusted_proxies: tuple[NetworkText, ...] = ()
    """Addresses or networks of the proxies in front of the page: whom they name in X-Forwarded-For is the visitor, and
    the limits per address do not count for them. Nobody else's X-Forwarded-For is read."""

    connections: Annotated[int, Field(ge=16)] = 512
    """Most connections at once, or what the limit of open files allows. One that asks nothing makes place for a new
    one."""

    connections_per_peer: Annotated[int, Field(ge=1)] = 100
    """Most connections at once of one address (of IPv6, of one /64)."""

    request_timeout: Duration = timedelta(seconds=10)
    """Longest time for a request to arrive whole, and for a new connection to send one."""

    send_timeout: Duration = timedelta(seconds=60)
    """How long a visitor may not go on reading an answer."""

    past: Duration = timedelta(days=3)
    """How far back the page looks."""

    ahead: Duration = timedelta(days=2)
    """How far ahead the page looks."""

    matches: Annotated[int, Field(ge=1, le=1000)] = 40
    """Most matches that one page shows of those to come, of those in play and of those that are over; the others are on
    the pages that follow."""

    page_reuse: Duration = timedelta(seconds=1)
    """How long a page that was made for one visitor is given to others although something has changed."""

    live_clients: Annotated[int, Field(ge=1)] = 200
    """Most browsers that may follow the live stream at once."""

    live_clients_per_peer: Annotated[int, Field(ge=1)] = 20
    """Most browsers of one address (of IPv6, of one /64) that may follow the live stream at once."""

    heartbeat: Duration = timedelta(seconds=15)
    """How often a quiet live stream shows that it is alive."""

    probe_timeout: Duration = timedelta(seconds=8)
    """Longest wait for the dependencies to show that they work."""

    graceful_stop: Duration = timedelta(seconds=5)
    """How long answers under way may take to finish when the process stops."""
