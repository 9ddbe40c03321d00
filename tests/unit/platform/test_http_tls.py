"""TLS: the connection goes to a checked address, the certificate must still be the name's."""

import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pytest

from found_footy.platform.errors import Refused, Unavailable
from found_footy.platform.http import client
from found_footy.platform.http.client import SafeHttpClient
from tests.support.certificates import make_server_certificate, needs_openssl

pytestmark = needs_openssl


class Site(Protocol):
    port: int

    def says(self, path: str, body: bytes = b"", status: int = 200, **headers: str) -> None: ...
    async def handle(self, reader: Any, writer: Any) -> None: ...


@dataclass
class TlsServer:
    port: int
    trust: ssl.SSLContext
    names: list[str | None] = field(default_factory=list)

    def client(self, *hosts: str, tls: ssl.SSLContext | None = None) -> SafeHttpClient:
        async def here(_host: str, _port: int) -> list[str]:
            return ["127.0.0.1"]

        places = [f"{host}:{self.port}" for host in hosts]
        return SafeHttpClient(
            system="web", allowed_hosts=places, trusted_private=places, resolve=here, tls=tls or self.trust
        )


@pytest.fixture
async def secure(site: Site, listen: Callable[..., Awaitable[int]], tmp_path: Path) -> TlsServer:
    """The site once more, encrypted, with a certificate for service.test."""
    key, cert = make_server_certificate(tmp_path, "service.test")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    secure = TlsServer(0, ssl.create_default_context(cafile=str(cert)))
    context.sni_callback = lambda _socket, name, _context: secure.names.append(name)
    secure.port = await listen(site.handle, tls=context)
    return secure


async def test_the_name_is_kept_for_the_certificate_and_the_server(site: Site, secure: TlsServer) -> None:
    site.says("/x", b"ok")
    client = secure.client("service.test")
    answer = await client.request("GET", f"https://service.test:{secure.port}/x")
    await client.aclose()
    assert (answer.body, secure.names) == (b"ok", ["service.test"])


async def test_a_certificate_of_another_name_is_not_accepted(secure: TlsServer) -> None:
    client = secure.client("other.test")
    with pytest.raises(Unavailable, match=r"(?i)certificate"):
        await client.request("GET", f"https://other.test:{secure.port}/x")
    await client.aclose()


async def test_a_certificate_of_an_unknown_authority_is_not_accepted(secure: TlsServer) -> None:
    client = secure.client("service.test", tls=ssl.create_default_context())
    with pytest.raises(Unavailable, match=r"(?i)certificate"):
        await client.request("GET", f"https://service.test:{secure.port}/x")
    await client.aclose()


async def test_the_environment_names_no_authorities(
    site: Site, secure: TlsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The certificate is good for whoever believes SSL_CERT_FILE, which anybody may set who starts a program."""
    site.says("/x", b"ok")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    secured = secure.client("service.test", tls=client._public_ca_context.__wrapped__())
    with pytest.raises(Unavailable, match=r"(?i)certificate"):
        await secured.request("GET", f"https://service.test:{secure.port}/x")
    await secured.aclose()


async def test_a_redirect_does_not_leave_encryption(site: Site, secure: TlsServer) -> None:
    site.says("/x", status=302, Location=f"http://service.test:{secure.port}/y")
    client = secure.client("service.test")
    with pytest.raises(Refused, match="not https"):
        await client.request("GET", f"https://service.test:{secure.port}/x")
    await client.aclose()
