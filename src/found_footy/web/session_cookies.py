"""Cookies that carry a token: out of reach of scripts and of other sites' requests, under TLS bound to this host."""

from datetime import timedelta

from fastapi import Request, Response

USER_COOKIE = "footy_user"

_HOST_PREFIX = "__Host-"


def cookie_name(request: Request, name: str) -> str:
    """Under TLS browsers accept the prefixed name from this very host only, with `Secure` and for all paths; so no
    sibling domain and nobody on an unencrypted line can plant one. The plain name is not read there.
    """
    return f"{_HOST_PREFIX}{name}" if request.url.scheme == "https" else name


def read_token_cookie(request: Request, name: str) -> str:
    return request.cookies.get(cookie_name(request, name), "")


def set_token_cookie(request: Request, response: Response, name: str, token: str, lifetime: timedelta) -> None:
    """Not `SameSite=Strict`: a link to a page of ours in a message must open it, and other sites' forms are refused."""
    response.set_cookie(
        cookie_name(request, name),
        token,
        max_age=int(lifetime.total_seconds()),
        path="/",
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )


def delete_token_cookie(request: Request, response: Response, name: str) -> None:
    secure = request.url.scheme == "https"
    response.delete_cookie(cookie_name(request, name), path="/", httponly=True, samesite="lax", secure=secure)
