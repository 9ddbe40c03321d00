"""Builds the sources of clips and of team aliases from settings."""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from functools import partial

from found_footy.discovery.activities import AliasProvider
from found_footy.discovery.aliases.llm_picker import LlmAliasPicker
from found_footy.discovery.aliases.table import TableAliasProvider
from found_footy.discovery.aliases.wikidata_client import WikidataClient, build_user_agent
from found_footy.discovery.aliases.wikidata_provider import WikidataAliasProvider
from found_footy.discovery.sources import bluesky
from found_footy.discovery.sources.base import ClipSource
from found_footy.discovery.sources.bluesky import BlueskySource
from found_footy.discovery.sources.bluesky_session import HOSTED_SERVER_SUFFIX, BlueskyAccount, BlueskySession
from found_footy.discovery.sources.health import SearchPoolReport
from found_footy.discovery.sources.reddit.client import RedditAddresses, RedditClient, RedditKey
from found_footy.discovery.sources.reddit.polling import PollPace
from found_footy.discovery.sources.reddit.source import RedditSource
from found_footy.discovery.sources.reddit.store import RedditStore
from found_footy.discovery.sources.x_service import XSearchPool
from found_footy.platform.errors import ConfigError
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.logs import ActionLogger
from found_footy.platform.mongo import Database
from found_footy.platform.settings.addresses import host_and_port
from found_footy.platform.version import build_info
from found_footy.settings import Settings

_MAX_MODEL_ANSWER_BYTES = 256 * 1024

logger = ActionLogger(__name__)


def build_search_sources(
    settings: Settings, stack: AsyncExitStack, database: Database | None = None
) -> list[ClipSource]:
    """Build the enabled search sources, the main one first; their connections close with the stack. Only Reddit's needs
    the database.
    """
    builders: Mapping[str, Callable[[Settings, AsyncExitStack], ClipSource]] = {
        "x": _build_search_pool,
        "bluesky": build_bluesky_source,
        "reddit": partial(_build_reddit_source, database),
    }
    return [builders[name](settings, stack) for name in dict.fromkeys(settings.discovery.sources)]


def build_alias_sources(settings: Settings, stack: AsyncExitStack) -> list[AliasProvider]:
    """Build the alias providers, best first. Wikidata is used only if a contact is configured, as its rules require."""
    discovery = settings.discovery
    if not discovery.wikidata:
        return [TableAliasProvider()]
    if not discovery.wikidata_contact:
        logger.info("Wikidata is not queried: WIKIDATA_CONTACT is not set", action="wikidata_off")
        return [TableAliasProvider()]
    http = _build_http_client(
        settings,
        stack,
        "Wikidata",
        [discovery.wikidata_url, discovery.wikidata_query_url],
        discovery.wikidata_timeout,
        {"user-agent": build_user_agent(discovery.wikidata_contact)},
    )
    wikidata = WikidataClient(http, discovery.wikidata_url, discovery.wikidata_query_url)
    return [WikidataAliasProvider(wikidata, _build_alias_picker(settings, stack)), TableAliasProvider()]


def _build_alias_picker(settings: Settings, stack: AsyncExitStack) -> LlmAliasPicker | None:
    discovery = settings.discovery
    if discovery.alias_model_url is None:
        return None
    http = SafeHttpClient(
        system="language model",
        allowed_hosts=[host_and_port(discovery.alias_model_url)],
        # The model usually runs on this machine or network.
        trusted_private=[host_and_port(discovery.alias_model_url)],
        timeout=discovery.alias_model_timeout,
        max_bytes=_MAX_MODEL_ANSWER_BYTES,
    )
    stack.push_async_callback(http.aclose)
    return LlmAliasPicker(http, discovery.alias_model_url, discovery.alias_model)


def _build_http_client(
    settings: Settings,
    stack: AsyncExitStack,
    system: str,
    urls: Sequence[str],
    timeout: timedelta,
    headers: Mapping[str, str] | None = None,
) -> SafeHttpClient:
    """Build a client for an outside system; private addresses are allowed only if the settings list them."""
    http = SafeHttpClient(
        system=system,
        allowed_hosts=[host_and_port(url) for url in urls],
        trusted_private=settings.trusted_hosts,
        timeout=timeout,
        headers=headers,
    )
    stack.push_async_callback(http.aclose)
    return http


def build_bluesky_source(settings: Settings, stack: AsyncExitStack) -> BlueskySource:
    discovery = settings.discovery
    http = _build_http_client(settings, stack, "Bluesky", [discovery.bluesky_url], discovery.bluesky_timeout)
    session = _build_bluesky_session(settings, stack)
    return BlueskySource(http, discovery.bluesky_url, discovery.bluesky_blob_url, session=session)


def _build_bluesky_session(settings: Settings, stack: AsyncExitStack) -> BlueskySession | None:
    """None unless an account is configured. The session has its own client: no other requests carry its tokens."""
    discovery = settings.discovery
    account = BlueskyAccount(discovery.bluesky_handle.lstrip("@"), discovery.bluesky_app_password.get_secret_value())
    if not account.handle and not account.app_password:
        return None
    if not account.handle or not account.app_password:
        raise ConfigError("BLUESKY_HANDLE and BLUESKY_APP_PASSWORD must be set together: one of them is not set")
    http = SafeHttpClient(
        system="Bluesky",
        allowed_hosts=[host_and_port(discovery.bluesky_service), f"*{HOSTED_SERVER_SUFFIX}"],
        trusted_private=settings.trusted_hosts,
        timeout=discovery.bluesky_timeout,
    )
    stack.push_async_callback(http.aclose)
    return BlueskySession(http, discovery.bluesky_service, account)


def _build_reddit_source(database: Database | None, settings: Settings, stack: AsyncExitStack) -> RedditSource:
    """Without a key the feed is read. Reddit wants to know which program calls, and whose."""
    if database is None:
        raise ValueError("the Reddit source keeps its posts in the database")
    discovery, secret = settings.discovery, settings.discovery.reddit_client_secret.get_secret_value()
    if secret and not discovery.reddit_client_id:
        raise ConfigError("REDDIT_CLIENT_SECRET is set without REDDIT_CLIENT_ID")
    key = RedditKey(discovery.reddit_client_id, secret) if discovery.reddit_client_id else None
    owner = f" (by /u/{discovery.reddit_account})" if discovery.reddit_account else ""
    http = _build_http_client(
        settings,
        stack,
        "Reddit",
        [discovery.reddit_url, discovery.reddit_api_url],
        discovery.reddit_timeout,
        {"user-agent": f"{sys.platform}:found-footy:{build_info().version}{owner}"},
    )
    addresses = RedditAddresses(discovery.reddit_url.rstrip("/"), discovery.reddit_api_url.rstrip("/"))
    interval = discovery.reddit_api_interval if key else discovery.reddit_feed_interval
    client = RedditClient(http, addresses, key)
    return RedditSource(client, RedditStore(database), PollPace(interval, discovery.reddit_rest))


async def fetch_search_report(settings: Settings) -> SearchPoolReport:
    """Ask the search services for their health and budgets; for status pages."""
    async with AsyncExitStack() as stack:
        return await _build_search_pool(settings, stack).check_health()


def _build_search_client(settings: Settings) -> SafeHttpClient:
    token = settings.discovery.search_token
    return SafeHttpClient(
        system="search",
        allowed_hosts=[host_and_port(url) for url in settings.discovery.search_urls],
        # The search services are ours and usually run on this machine or network.
        trusted_private=[host_and_port(url) for url in settings.discovery.search_urls],
        timeout=settings.discovery.search_timeout,
        max_bytes=settings.discovery.answer_limit,
        headers={"authorization": f"Bearer {token.get_secret_value()}"} if token else None,
    )


def _build_search_pool(settings: Settings, stack: AsyncExitStack) -> XSearchPool:
    discovery, http = settings.discovery, _build_search_client(settings)
    stack.push_async_callback(http.aclose)
    return XSearchPool(
        http,
        discovery.search_urls,
        cooldown=discovery.search_rest,
        max_wait=discovery.search_patience,
        answer_timeout=discovery.search_timeout,
    )


def blob_hosts(settings: Settings) -> tuple[str, ...]:
    """Hosts of the videos of the enabled sources, besides the configured hosts."""
    if "bluesky" not in settings.discovery.sources:
        return ()
    return (host_and_port(settings.discovery.bluesky_blob_url), *bluesky.BLOB_HOSTS)
