"""The simulated Wikidata on the wire: the action interface and the query service."""

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

from found_footy.sim.wikidata.items import Item

Json = dict[str, Any]

_LIBRARY_AGENTS = re.compile(r"^(python-|httpx|curl|sparqlwrapper)", re.IGNORECASE)
_CONTACT = re.compile(r"\((?:[^)]*\S+@\S+|[^)]*https?://)[^)]*\)")
_ASKED_ITEM = re.compile(r"BIND\(\s*wd:(Q\d+)")
_ASKED_LANGUAGES = re.compile(r'"([a-z-]{2,12})"')
_TRACE = "\njava.util.concurrent.TimeoutException\n\tat java.util.concurrent.FutureTask.get(FutureTask.java:205)\n"
_SLOW_SECONDS = 30.0


class Breaks(StrEnum):
    """What can be wrong with an answer."""

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
class _Fault:
    path: str
    breaks: Breaks
    left: int
    retry_after: int | None


class WikidataSite:
    """`/w/api.php` and `/sparql` over the given items. `asked` holds every request's parameters, in order."""

    def __init__(self, items: Iterable[Item] = (), *, demands_contact: bool = True) -> None:
        self.items = {item.id: item for item in items}
        self.asked: list[Json] = []
        self.at_once = 0
        self.most_at_once = 0
        self._demands_contact = demands_contact
        self._faults: list[_Fault] = []
        self.app = Starlette(routes=[Route("/w/api.php", self._api), Route("/sparql", self._sparql)])

    def break_with(
        self, breaks: Breaks, *, path: str = "/", times: int = 1_000, retry_after: int | None = None
    ) -> None:
        """The next `times` requests whose path begins with `path` go wrong."""
        self._faults.append(_Fault(path, breaks, times, retry_after))

    def mend(self) -> None:
        self._faults.clear()

    async def _api(self, request: Request) -> Response:
        return await self._answered(request, self._acted)

    async def _sparql(self, request: Request) -> Response:
        return await self._answered(request, self._queried)

    async def _answered(self, request: Request, answer: Any) -> Response:
        self.asked.append({"path": request.url.path, **request.query_params})
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            agent = request.headers.get("user-agent", "")
            if self._demands_contact and (_LIBRARY_AGENTS.match(agent) or not _CONTACT.search(agent)):
                return PlainTextResponse("Please set a user-agent and respect our robot policy. See T400119.", 403)
            fault = next((f for f in self._faults if f.left and request.url.path.startswith(f.path)), None)
            if fault is not None:
                fault.left -= 1
                return await self._broken(fault)
            response: Response = answer(request)
            return response
        finally:
            self.at_once -= 1

    async def _broken(self, fault: _Fault) -> Response:
        wait = {"retry-after": str(fault.retry_after)} if fault.retry_after is not None else {}
        lag = {"error": {"code": "maxlag", "info": "Waiting for a database server: 6 seconds lagged"}}
        wrong = {"error": {"code": "missingparam", "info": 'The "search" parameter must be set.'}, "servedby": "mw-sim"}
        if fault.breaks is Breaks.SLOW:
            await asyncio.sleep(_SLOW_SECONDS)
        answers: dict[Breaks, Response] = {
            Breaks.RATE_LIMITED: PlainTextResponse("Too many requests", 429, wait),
            Breaks.FORBIDDEN: PlainTextResponse("You have been banned until …", 403),
            Breaks.SERVER_ERROR: PlainTextResponse("upstream connect error", 503),
            Breaks.GATEWAY_PAGE: HTMLResponse("<html><body>Wikimedia Error</body></html>"),
            Breaks.MAXLAG: JSONResponse(lag, 200, {"MediaWiki-API-Error": "maxlag", **wait}),
            Breaks.ERROR_IN_200: JSONResponse(wrong, 200, {"MediaWiki-API-Error": "missingparam"}),
            Breaks.NO_LIST: JSONResponse({"success": 1}),
            Breaks.TRUNCATED: Response(_cut_rows(), media_type="application/sparql-results+json"),
            Breaks.QUERY_TIMEOUT: PlainTextResponse("SPARQL-QUERY: …" + _TRACE, 500),
            Breaks.CUT_JSON: Response('{"searchinfo":{"search":"x"},"sea', media_type="application/json"),
            Breaks.HUGE: Response(b'{"pad":"' + b"x" * 20_000_000 + b'"}', media_type="application/json"),
            Breaks.SLOW: JSONResponse({"search": []}),
        }
        return answers[fault.breaks]

    def _acted(self, request: Request) -> Response:
        asked = request.query_params
        actions = {"wbsearchentities": self._search, "query": self._full_text, "wbgetentities": self._entities}
        action = actions.get(asked.get("action", ""))
        if action is None:
            return JSONResponse({"error": {"code": "badvalue", "info": "Unrecognized value for parameter action"}})
        return JSONResponse(action(dict(asked)))

    def _search(self, asked: dict[str, str]) -> Json:
        text, limit = asked.get("search", ""), int(asked.get("limit", "7"))
        if not text or "language" not in asked:
            return {"error": {"code": "missingparam", "info": "search and language are required"}}
        hits = [item for item in self.items.values() if item.match(text)]
        shown: Json = {
            "searchinfo": {"search": text},
            "search": [item.hit(text, asked.get("uselang", asked["language"])) for item in hits[:limit]],
            "success": 1,
        }
        return shown | ({"search-continue": limit} if len(hits) > limit else {})

    def _full_text(self, asked: dict[str, str]) -> Json:
        words = asked.get("srsearch", "").split()
        classes = [w.split(":", 1)[1].split("|") for w in words if w.startswith("haswbstatement:")]
        wanted = {said.partition("=")[2] for group in classes for said in group}
        plain = [word for word in words if not word.startswith("haswbstatement:")]
        hits = [i for i in self.items.values() if i.holds(plain) and (not wanted or wanted & set(i.values("P31")))]
        limit = int(asked.get("srlimit", "10"))
        rows = [{"ns": 0, "title": item.id, "pageid": int(item.id[1:])} for item in hits[:limit]]
        return {"batchcomplete": True, "query": {"searchinfo": {"totalhits": len(hits)}, "search": rows}}

    def _entities(self, asked: dict[str, str]) -> Json:
        languages = asked.get("languages", "en").split("|")
        found: Json = {}
        for name in asked.get("ids", "").split("|"):
            item = self.items.get(name)
            found[name] = item.document(languages) if item else {"id": name, "missing": ""}
        return {"entities": found, "success": 1}

    def _queried(self, request: Request) -> Response:
        query = request.query_params.get("query", "")
        asked = _ASKED_ITEM.search(query)
        if asked is None:
            return PlainTextResponse("MalformedQueryException: …" + _TRACE, 400)
        languages = set(_ASKED_LANGUAGES.findall(query.partition("LANG(?value) IN")[2]))
        item = self.items.get(asked[1])
        rows = item.rows([*languages]) if item else []
        body = {"head": {"vars": ["kind", "value"]}, "results": {"bindings": rows}}
        return Response(json.dumps(body), media_type="application/sparql-results+json")


def _cut_rows() -> str:
    row = {"kind": {"type": "literal", "value": "alt"}, "value": {"type": "literal", "value": "EUFC"}}
    return '{"head":{"vars":["kind","value"]},"results":{"bindings":[' + json.dumps(row) + "," + _TRACE
