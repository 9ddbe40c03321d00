"""Stage two's settings."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from found_footy.platform.settings import Bytes, Duration, Env, Group, HttpUrl


class DiscoverySettings(Group):
    search_urls: Annotated[tuple[HttpUrl, ...], Env("TWITTER_SERVICE_URL")] = ("http://127.0.0.1:8888",)
    """Addresses of the X search services; searches are spread over them."""

    search_timeout: Duration = timedelta(seconds=50)
    """How long one search may take."""

    search_rest: Duration = timedelta(seconds=30)
    """How long a search service that failed is left alone while others answer."""

    search_limit: Annotated[int, Field(ge=1, le=100)] = 30
    """Most results asked for in one search."""

    answer_limit: Bytes = 2 * 2**20
    """Largest answer of a search service that is read."""

    aliases_kept: Duration = timedelta(days=30)
    """How long the aliases of a team are kept before they are asked for again."""

    fallback_aliases_kept: Duration = timedelta(days=1)
    """How long aliases made by rules are kept; a better source is tried after that."""
