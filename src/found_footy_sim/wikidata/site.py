"""The HTTP endpoints of the simulated Wikidata: the action API and the query service."""

import asyncio
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from found_footy_sim.wikidata.items import WikidataItem

Json = dict[str, Any]

_LIBRARY_AGENTS = re.compile(r"^(python-|httpx|curl|sparqlwrapper)", re.IGNORECASE)
_CONTACT_PATTERN = re.compile(r"\((?:[^)]*\S+@\S+|[^)]*https?://)[^)]*\)")
_ITEM_PATTERN = re.compile(r"BIND\(\s*wd:(Q\d+)")
_LANGUAGE_PATTERN = re.compile(r'"([a-z-]{2,12})"')
_JAVA_TRACE = "\njava.util.concurrent.TimeoutException\n\tat java.util.concurrent.FutureTask.get(FutureTask.java:205)\n"
_SLOW_SECONDS = 30.0


class WikidataFault(StrEnum):
    """Faults of a response."""

    RATE_LIMITED = "rate_limited"
    FORBIDDEN = "forbidden"
    SERVER_ERROR = "server_error"
    GATEWAY_PAGE = "gateway_page"
    MAXLAG = "maxlag"
    ERROR_IN_200 = "error_in_200"
    NO_LIST = "no_list"
    TRUNCATED = "truncated"
    QUERY_TIMEOUT = "query_timeout"
    CUT_JSON = "cut_json"
    HUGE = "huge"
    SLOW = "slow"


@dataclass
class _ActiveFault:
    path: str
    fault: WikidataFault
    requests_left: int
    retry_after: int | None


class WikidataSite:
    """`/w/api.php` and `/sparql` over the given items. `requests` holds every request's parameters, in order."""

    def __init__(self, items: Iterable[WikidataItem] = (), *, demands_contact: bool = True) -> None:
        self.items = {item.id: item for item in items}
        self.requests: list[Json] = []
        self.concurrent = 0
        self.max_concurrent = 0
        self._demands_contact = demands_contact
        self._faults: list[_ActiveFault] = []
        self.app = Starlette(routes=[Route("/w/api.php", self._handle_api), Route("/sparql", self._handle_sparql)])

    def inject_fault(
        self, fault: WikidataFault, *, path: str = "/", times: int = 1_000, retry_after: int | None = None
    ) -> None:
        """The next `times` requests whose path begins with `path` fail."""
        self._faults.append(_ActiveFault(path, fault, times, retry_after))

    def clear_faults(self) -> None:
        self._faults.clear()

    async def _handle_api(self, request: Request) -> Response:
        return await self._answer_request(request, self._answer_action)

    async def _handle_sparql(self, request: Request) -> Response:
        return await self._answer_request(request, self._answer_sparql)

    async def _answer_request(self, request: Request, answer: Any) -> Response:
        self.requests.append({"path": request.url.path, **request.query_params})
        self.concurrent += 1
        self.max_concurrent = max(self.max_concurrent, self.concurrent)
        try:
            agent = request.headers.get("user-agent", "")
            if self._demands_contact and (_LIBRARY_AGENTS.match(agent) or not _CONTACT_PATTERN.search(agent)):
                return PlainTextResponse("Please set a user-agent and respect our robot policy. See T400119.", 403)
            fault = next((f for f in self._faults if f.requests_left and request.url.path.startswith(f.path)), None)
            if fault is not None:
                fault.requests_left -= 1
                return await self._fault_response(fault)
            response: Response = answer(request)
            return response
        finally:
            self.concurrent -= 1

    async def _fault_response(self, fault: _ActiveFault) -> Response:
        wait = {"retry-after": str(fault.retry_after)} if fault.retry_after is not None else {}
        lag = {"error": {"code": "maxlag", "info": "Waiting for a database server: 6 seconds lagged"}}
        wrong = {"error": {"code": "missingparam", "info": 'The "search" parameter must be set.'}, "servedby": "mw-sim"}
        if fault.fault is WikidataFault.SLOW:
            await asyncio.sleep(_SLOW_SECONDS)
        answers: dict[WikidataFault, Response] = {
            WikidataFault.RATE_LIMITED: PlainTextResponse("Too many requests", 429, wait),
            WikidataFault.FORBIDDEN: PlainTextResponse("You have been banned until …", 403),
            WikidataFault.SERVER_ERROR: PlainTextResponse("upstream connect error", 503),
            WikidataFault.GATEWAY_PAGE: HTMLResponse("<html><body>Wikimedia Error</body></html>"),
            WikidataFault.MAXLAG: JSONResponse(lag, 200, {"MediaWiki-API-Error": "maxlag", **wait}),
            WikidataFault.ERROR_IN_200: JSONResponse(wrong, 200, {"MediaWiki-API-Error": "missingparam"}),
            WikidataFault.NO_LIST: JSONResponse({"success": 1}),
            WikidataFault.TRUNCATED: Response(_truncated_rows(), media_type="application/sparql-results+json"),
            WikidataFault.QUERY_TIMEOUT: PlainTextResponse("SPARQL-QUERY: …" + _JAVA_TRACE, 500),
            WikidataFault.CUT_JSON: Response('{"searchinfo":{"search":"x"},"sea', media_type="application/json"),
            WikidataFault.HUGE: Response(b'{"pad":"' + b"x" * 20_000_000 + b'"}', media_type="application/json"),
            WikidataFault.SLOW: JSONResponse({"search": []}),
        }
        return answers[fault.fault]

    def _answer_action(self, request: Request) -> Response:
        asked = request.query_params
        actions = {
            "wbsearchentities": self._search_entities,
            "query": self._search_full_text,
            "wbgetentities": self._get_entities,
        }
        action = actions.get(asked.get("action", ""))
        if action is None:
            return JSONResponse({"error": {"code": "badvalue", "info": "Unrecognized value for parameter action"}})
        return JSONResponse(action(dict(asked)))

    def _search_entities(self, asked: dict[str, str]) -> Json:
        text, limit = asked.get("search", ""), int(asked.get("limit", "7"))
        if not text or "language" not in asked:
            return {"error": {"code": "missingparam", "info": "search and language are required"}}
        hits = [item for item in self.items.values() if item.match_prefix(text)]
        shown: Json = {
            "searchinfo": {"search": text},
            "search": [item.to_search_hit(text, asked.get("uselang", asked["language"])) for item in hits[:limit]],
            "success": 1,
        }
        return shown | ({"search-continue": limit} if len(hits) > limit else {})

    def _search_full_text(self, asked: dict[str, str]) -> Json:
        words = asked.get("srsearch", "").split()
        classes = [w.split(":", 1)[1].split("|") for w in words if w.startswith("haswbstatement:")]
        wanted = {clause.partition("=")[2] for group in classes for clause in group}
        plain = [word for word in words if not word.startswith("haswbstatement:")]
        hits = [
            i
            for i in self.items.values()
            if i.contains_words(plain) and (not wanted or wanted & set(i.statement_values("P31")))
        ]
        limit = int(asked.get("srlimit", "10"))
        rows = [{"ns": 0, "title": item.id, "pageid": int(item.id[1:])} for item in hits[:limit]]
        return {"batchcomplete": True, "query": {"searchinfo": {"totalhits": len(hits)}, "search": rows}}

    def _get_entities(self, asked: dict[str, str]) -> Json:
        languages = asked.get("languages", "en").split("|")
        found: Json = {}
        for name in asked.get("ids", "").split("|"):
            item = self.items.get(name)
            found[name] = item.to_entity(languages) if item else {"id": name, "missing": ""}
        return {"entities": found, "success": 1}

    def _answer_sparql(self, request: Request) -> Response:
        query = request.query_params.get("query", "")
        asked = _ITEM_PATTERN.search(query)
        if asked is None:
            return PlainTextResponse("MalformedQueryException: …" + _JAVA_TRACE, 400)
        languages = set(_LANGUAGE_PATTERN.findall(query.partition("LANG(?value) IN")[2]))
        item = self.items.get(asked[1])
        rows = item.to_sparql_rows([*languages]) if item else []
        body = {"head": {"vars": ["kind", "value"]}, "results": {"bindings": rows}}
        return Response(json.dumps(body), media_type="application/sparql-results+json")


def _truncated_rows() -> str:
    row = {"kind": {"type": "literal", "value": "alt"}, "value": {"type": "literal", "value": "EUFC"}}
    return '{"head":{"vars":["kind","value"]},"results":{"bindings":[' + json.dumps(row) + "," + _JAVA_TRACE
