"""Wikidata client: searches items by name, fetches them, and queries all their names.

It sends one request at a time, with a contact in the User-Agent, as Wikidata's operators require. Errors:

ExternalSystemError
├── RateLimited   asked to wait; no request is sent until then
├── Denied        refused, for the User-Agent or as a ban; repeated without a request during the cooldown
├── Unavailable   unreachable, overloaded, or a query that exceeded its time limit, even in the middle of its answer
└── Malformed     an answer that does not match the API, such as one without its list of results
"""

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from found_footy.discovery.aliases.entities import CLUB_CLASSES, WikidataEntity
from found_footy.discovery.aliases.rules import LANGUAGES, TeamName
from found_footy.discovery.aliases.wikidata_wire import (
    SYSTEM,
    WikidataAnswer,
    parse_entities,
    parse_names,
    parse_search_ids,
    parse_title_ids,
)
from found_footy.platform.clock import MonotonicClock, utc_now
from found_footy.platform.errors import ConfigError, Denied, ExternalSystemError, Malformed, RateLimited, Unavailable
from found_footy.platform.http.client import HttpResponse, SafeHttpClient
from found_footy.platform.http.cooldown import Cooldown
from found_footy.platform.http.retry_after import parse_retry_after
from found_footy.platform.version import build_info
from found_footy.platform.wire import parse_or_none

_OK = 200
_FORBIDDEN = (401, 403)
_TOO_MANY_REQUESTS = 429
_DEFAULT_COOLDOWN_SECONDS = 60.0
_REFUSAL_COOLDOWN_SECONDS = 900.0
_MAX_COOLDOWN_SECONDS = 86_400.0
_MAX_ITEMS = 20
_CONTACT_PATTERN = re.compile(r"https?://\S+\.\S+|\S+@\S+\.\S+")
_OF_A_CLUB_CLASS = "haswbstatement:" + "|".join(f"P31={item}" for item in sorted(CLUB_CLASSES))

_NAMES_QUERY = """SELECT ?kind ?value WHERE {{
  BIND(wd:{item} AS ?team)
  {{ ?team rdfs:label ?value . BIND("label" AS ?kind) }}
  UNION {{ ?team skos:altLabel ?value . BIND("alt" AS ?kind) }}
  UNION {{ ?team wdt:P1449 ?value . BIND("nick" AS ?kind) }}
  UNION {{ ?team wdt:P1813 ?value . BIND("short" AS ?kind) }}
  UNION {{ ?team p:P1448 ?said . ?said ps:P1448 ?value . BIND("official" AS ?kind)
    FILTER NOT EXISTS {{ ?said pq:P582 ?ended }} }}
  FILTER(?kind IN ("nick", "short", "official") || LANG(?value) IN ({languages}))
}} LIMIT 500"""


def build_user_agent(contact: str) -> str:
    """The User-Agent. ConfigError without a contact: Wikidata refuses anonymous tools."""
    if not _CONTACT_PATTERN.fullmatch(contact.strip()):
        raise ConfigError(f"WIKIDATA_CONTACT={contact}: must be an e-mail address or a web address")
    return f"found-footy/{build_info().version} ({contact.strip()}) httpx"


class WikidataClient:
    """`http` must send this User-Agent. One instance is shared by all callers: it holds the request lock and the
    cooldown.
    """

    def __init__(
        self, http: SafeHttpClient, api_url: str, sparql_url: str, clock: MonotonicClock = time.monotonic
    ) -> None:
        self._http = http
        self._api_url = api_url
        self._sparql_url = sparql_url
        self._request_lock = asyncio.Lock()
        self._cooldown = Cooldown(clock)

    async def search_items(self, text: str, language: str = "en") -> tuple[str, ...]:
        """Items whose label or alias begins with `text`; best first."""
        params = {"action": "wbsearchentities", "search": text, "language": language, "type": "item", "limit": 15}
        return parse_search_ids(await self._call_api(params))

    async def search_clubs(self, text: str) -> tuple[str, ...]:
        """Football clubs that contain `text` anywhere, in any language."""
        params = {"action": "query", "list": "search", "srsearch": f"{text} {_OF_A_CLUB_CLASS}", "srlimit": 15}
        return parse_title_ids(await self._call_api(params))

    async def fetch_entities(self, ids: Sequence[str]) -> tuple[WikidataEntity, ...]:
        if not ids:
            return ()
        params = {
            "action": "wbgetentities",
            "ids": "|".join(ids[:_MAX_ITEMS]),
            "props": "labels|aliases|descriptions|claims|sitelinks",
            "languages": "|".join(LANGUAGES),
            "languagefallback": 1,
        }
        return parse_entities(await self._call_api(params))

    async def fetch_names(self, item: str) -> tuple[TeamName, ...]:
        """Every name of the item, from the query service."""
        languages = ",".join(f'"{language}"' for language in LANGUAGES)
        query = _NAMES_QUERY.format(item=item, languages=languages)
        answer = await self._get(
            self._sparql_url, {"query": query, "format": "json"}, {"accept": "application/sparql-results+json"}
        )
        try:
            body = answer.json()
        except Malformed as error:
            # The service has begun its answer when the time limit is reached: the rest is a stack trace.
            raise Unavailable(SYSTEM, "the query ran into its time limit") from error
        return parse_names(body)

    async def _call_api(self, params: Mapping[str, Any]) -> Any:
        answer = await self._get(self._api_url, {**params, "format": "json", "formatversion": 2, "maxlag": 5})
        body = answer.json()
        envelope = parse_or_none(WikidataAnswer, body)
        if envelope is None:
            raise Malformed(SYSTEM, "the answer is not an object")
        if envelope.is_failure:
            raise self._api_error(envelope.error.code, answer)
        return body

    async def _get(self, url: str, params: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> HttpResponse:
        async with self._request_lock:
            self._cooldown.raise_if_active()
            answer = await self._http.request("GET", url, params=params, headers=headers)
            if answer.status != _OK:
                raise self._refusal_error(answer)
            return answer

    def _refusal_error(self, answer: HttpResponse) -> ExternalSystemError:
        if answer.status == _TOO_MANY_REQUESTS:
            return self._rate_limit_error(answer, "too many requests")
        if answer.status in _FORBIDDEN:
            refusal = Denied(SYSTEM, f"status {answer.status}: is the contact right?")
            self._cooldown.start(_REFUSAL_COOLDOWN_SECONDS, refusal)
            return refusal
        return Unavailable(SYSTEM, f"status {answer.status}")

    def _api_error(self, code: str, answer: HttpResponse) -> ExternalSystemError:
        if code in ("maxlag", "ratelimited"):
            return self._rate_limit_error(answer, code)
        return Malformed(SYSTEM, (code or "an error without a code")[:200])

    def _rate_limit_error(self, answer: HttpResponse, reason: str) -> ExternalSystemError:
        wait = parse_retry_after(
            answer.headers, utc_now(), default=_DEFAULT_COOLDOWN_SECONDS, max_seconds=_MAX_COOLDOWN_SECONDS
        )
        error = RateLimited(SYSTEM, reason, wait)
        self._cooldown.start(wait, error)
        return error
