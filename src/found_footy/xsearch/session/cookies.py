"""Session cookies, parsed from the formats in which people export them. Values never appear in messages or reprs."""

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from urllib.parse import urlsplit

from found_footy.platform.errors import BadInput

SameSite = Literal["Strict", "Lax", "None"]
SESSION_COOKIE = "auth_token"
CSRF_COOKIE = "ct0"
_FORMER_HOST, _HOST = "twitter.com", "x.com"
_SAME_SITE: dict[str, SameSite] = {"strict": "Strict", "lax": "Lax", "none": "None", "no_restriction": "None"}
_HTTP_ONLY_PREFIX = "#HttpOnly_"
_MIN_MILLISECOND_TIMESTAMP = 1e11  # larger values (after the year 5000 in seconds) are in milliseconds
_MAX_COOKIES = 500


@dataclass(frozen=True)
class Cookie:
    """`expires` in Unix seconds, -1 for a session cookie."""

    name: str
    value: str = field(repr=False)
    domain: str
    path: str = "/"
    expires: float = -1
    http_only: bool = False
    secure: bool = True
    same_site: SameSite | None = None


CookieJar = tuple[Cookie, ...]


def parse_cookies(text: str, site: str) -> CookieJar:
    """Parse the cookies that belong to `site` (a URL), from any of the known formats.

    Cookies of the site's former domain are moved to the current one. All others are dropped, so that nothing is ever
    sent to another host. Raises BadInput without a session cookie.
    """
    stripped = text.strip()
    if stripped[:1] in ("[", "{"):
        found = _parse_json(stripped, site)
    elif "\t" in stripped or stripped.startswith("# Netscape"):
        found = _parse_netscape(stripped)
    else:
        found = _parse_header(stripped, site)
    jar = filter_site_cookies(found, site)
    if not has_session(jar):
        raise BadInput(
            f"these cookies hold no session for {_site_host(site)}: {SESSION_COOKIE} and {CSRF_COOKIE} are needed"
        )
    return jar


def has_session(jar: CookieJar) -> bool:
    return {SESSION_COOKIE, CSRF_COOKIE} <= {cookie.name for cookie in jar if cookie.value}


def session_token(jar: CookieJar) -> str | None:
    """Return the value that identifies a log-in. Secret: compare it, do not show it."""
    return next((cookie.value for cookie in jar if cookie.name == SESSION_COOKIE and cookie.value), None)


def filter_site_cookies(jar: CookieJar, site: str) -> CookieJar:
    """Return the cookies of `site` and its subdomains, one per name, domain and path; the last one wins."""
    host = _site_host(site)
    moved = [_rename_former_domain(cookie, host) for cookie in jar]
    ours = [cookie for cookie in moved if _is_domain_of(cookie.domain, host)]
    return tuple({(c.name, c.domain.lstrip("."), c.path): c for c in ours}.values())


def _site_host(site: str) -> str:
    return urlsplit(site).hostname or ""


def _is_domain_of(domain: str, host: str) -> bool:
    plain = domain.lstrip(".")
    return plain == host or plain.endswith(f".{host}")


def _rename_former_domain(cookie: Cookie, host: str) -> Cookie:
    if host == _HOST and _is_domain_of(cookie.domain, _FORMER_HOST):
        return replace(cookie, domain=f".{_HOST}")
    return cookie


def _parse_json(text: str, site: str) -> CookieJar:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput("the cookies look like JSON but cannot be read as such") from None
    if isinstance(data, dict) and isinstance(data.get(SESSION_COOKIE), str):
        pairs = [(name, value) for name, value in data.items() if isinstance(value, str) and name and value]
        return _build_site_cookies(pairs, site)
    rows = data.get("cookies") if isinstance(data, dict) else data
    if not isinstance(rows, list) or len(rows) > _MAX_COOKIES or not all(isinstance(row, dict) for row in rows):
        raise BadInput(
            "expected a list of cookies, an object with a list named cookies, or one with a value for each cookie"
        )
    return tuple(_parse_row(row) for row in rows)


def _parse_row(row: dict[str, Any]) -> Cookie:
    name, value, domain = (row.get(key) for key in ("name", "value", "domain"))
    if not (isinstance(name, str) and isinstance(value, str) and isinstance(domain, str) and name and domain):
        raise BadInput("every cookie needs a name, a value and a domain, as text")
    secure = bool(row.get("secure", False))
    return Cookie(
        name=name,
        value=value,
        domain=domain.lower(),
        path=row["path"] if isinstance(row.get("path"), str) else "/",
        expires=_parse_expiry(row.get("expires", row.get("expirationDate"))),
        http_only=bool(row.get("httpOnly", False)),
        secure=secure,
        same_site=_parse_same_site(row.get("sameSite"), secure),
    )


def _parse_expiry(raw: object) -> float:
    try:
        seconds = float(raw) if isinstance(raw, (int, float, str)) else -1.0
    except (ValueError, OverflowError):
        return -1
    if not 0 < seconds < float("inf"):
        return -1
    return seconds / 1000 if seconds >= _MIN_MILLISECOND_TIMESTAMP else seconds


def _parse_same_site(raw: object, secure: bool) -> SameSite | None:
    """A browser rejects "None" on a cookie that is not secure, so there it is omitted."""
    chosen = _SAME_SITE.get(raw.lower()) if isinstance(raw, str) else None
    return None if chosen == "None" and not secure else chosen


def _parse_netscape(text: str) -> CookieJar:
    lines = [line for line in text.splitlines() if line.strip()]
    rows = [line for line in lines if not line.startswith("#") or line.startswith(_HTTP_ONLY_PREFIX)]
    if len(rows) > _MAX_COOKIES:
        raise BadInput("too many cookies")
    return tuple(_parse_netscape_line(row) for row in rows)


def _parse_netscape_line(line: str) -> Cookie:
    parts = line.removeprefix(_HTTP_ONLY_PREFIX).rstrip("\r\n").split("\t")
    if len(parts) != 7:
        raise BadInput("a line of the cookie file does not have its seven columns")
    domain, _, path, secure, expires, name, value = parts
    return Cookie(
        name,
        value,
        domain.lower(),
        path,
        _parse_expiry(expires),
        line.startswith(_HTTP_ONLY_PREFIX),
        secure.upper() == "TRUE",
    )


def _parse_header(text: str, site: str) -> CookieJar:
    """Parse `Cookie: a=1; b=2`, with or without the header name, in any case."""
    named = re.sub(r"^cookie:", "", text, flags=re.IGNORECASE)
    parts = [part.strip().partition("=") for part in named.split(";")]
    return _build_site_cookies([(name, value) for name, equals, value in parts if name and equals], site)


def _build_site_cookies(pairs: list[tuple[str, str]], site: str) -> CookieJar:
    """Names and values do not tell the host, so they are assumed to be the site's."""
    host, secure = _site_host(site), urlsplit(site).scheme == "https"
    domain = f".{host}" if host == _HOST else host
    return tuple(
        Cookie(name, value, domain, http_only=name == SESSION_COOKIE, secure=secure)
        for name, value in pairs[:_MAX_COOKIES]
    )
