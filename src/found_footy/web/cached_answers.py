"""Answers with pages that are kept, given before any route is looked up: a page that nothing has changed costs little
more than its bytes. What was asked is remembered with the page that a route answered it with.
"""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from http import HTTPStatus

from starlette.types import Scope, Send

from found_footy.web.page_cache import CachedPage, PageCache, build_page_headers, matches_etag
from found_footy.web.session_cookies import USER_COOKIE

# Requests that strangers invent push out others, and cost a lookup of the route again.
_MAX_REMEMBERED = 4096
_MAX_KEY_BYTES = 4096
# Requests with one of these are for the routes: they may have a body, must see a change, or come from somebody for whom
# a page may look different.
_ROUTED_HEADERS = frozenset({b"content-length", b"transfer-encoding", b"last-event-id", b"authorization"})
_READ_HEADERS = frozenset({b"cookie", b"host", b"accept-encoding", b"if-none-match"})

_USER_COOKIE = USER_COOKIE.encode()

RequestKey = tuple[str, bytes, str, bytes, bytes]


@dataclass(frozen=True)
class KnownRequest:
    """The page that a request was answered with, its media type, and the route, by which answers are counted."""

    page_key: Hashable
    media_type: str
    route: str


@dataclass(frozen=True)
class CachedAnswer:
    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    route: str

    async def send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body})


class CachedAnswers:
    """Holds no page itself: a page that the cache has evicted or replaced is not answered with. Without `is_public`
    nothing is answered here: who may see a page is decided behind this.
    """

    def __init__(self, pages: PageCache, *, is_public: bool) -> None:
        self._pages = pages
        self._is_public = is_public
        self._known: OrderedDict[RequestKey, KnownRequest] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def remember(self, scope: Scope, page: CachedPage, media_type: str) -> None:
        """Remember that this request is answered with this page. Everything the page depends on is in the key: the
        address, the host under which it was asked for, and the cookies.
        """
        found = _read_headers(scope)
        if scope["method"] != "GET" or found is None:
            return
        key = _build_key(scope, found)
        if len(key[0]) + len(key[1]) + len(key[4]) > _MAX_KEY_BYTES:
            return
        route = getattr(scope.get("route"), "path", "none")
        self._known[key] = KnownRequest(page.key, media_type, route)
        self._known.move_to_end(key)
        if len(self._known) > _MAX_REMEMBERED:
            self._known.popitem(last=False)

    def find(self, scope: Scope) -> CachedAnswer | None:
        """The answer to a request that was made before, if its page is still fresh; None: the routes answer it."""
        if scope["method"] != "GET" or not self._is_public:
            return None
        headers = _read_headers(scope)
        known = self._known.get(_build_key(scope, headers)) if headers is not None else None
        page = self._pages.find_fresh(known.page_key) if known else None
        if headers is None or known is None or page is None:
            return None
        return _build_answer(page, known, headers)


def _read_headers(scope: Scope) -> dict[bytes, bytes] | None:
    """The headers that decide about a cached answer; None if a route must decide, or one of them comes twice."""
    found: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        if name in _READ_HEADERS:
            if name in found or (name == b"cookie" and _USER_COOKIE in value):
                return None
            found[name] = value
        elif name in _ROUTED_HEADERS:
            return None
    return found


def _build_key(scope: Scope, headers: dict[bytes, bytes]) -> RequestKey:
    return (
        scope["path"],
        scope["query_string"],
        scope["scheme"],
        headers.get(b"host", b""),
        headers.get(b"cookie", b""),
    )


def _build_answer(page: CachedPage, known: KnownRequest, headers: dict[bytes, bytes]) -> CachedAnswer:
    is_known = matches_etag(headers.get(b"if-none-match", b"").decode("latin-1"), page.etag)
    is_packed = b"gzip" in headers.get(b"accept-encoding", b"")
    written = build_page_headers(page, known.media_type, is_known=is_known, is_packed=is_packed)
    encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in written.items()]
    if is_known:
        return CachedAnswer(HTTPStatus.NOT_MODIFIED, encoded, b"", known.route)
    body = page.gzipped if is_packed else page.body
    encoded.append((b"content-length", str(len(body)).encode()))
    return CachedAnswer(HTTPStatus.OK, encoded, body, known.route)
