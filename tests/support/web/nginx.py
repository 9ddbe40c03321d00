"""A real nginx in front of the page, with a configuration of the test's choice."""

import asyncio
import os
import shutil
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from found_footy.platform.free_port import find_free_port
from tests.support.certificates import make_server_certificate
from tests.support.patience import PATIENCE_SECONDS

NGINX = shutil.which("nginx") or next((p for p in ("/usr/sbin/nginx",) if Path(p).exists()), None)
MISSING = "needs nginx and openssl (apt install nginx-light openssl)"
DOCS = Path(__file__).resolve().parents[3] / "docs" / "proxy.md"
_FRAME = """
{user}
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {block}
}}
"""


def documented() -> str:
    """The configuration that the documentation gives."""
    return DOCS.read_text(encoding="utf-8").split("```nginx\n")[1].split("```")[0]


def adapted(block: str, changes: Mapping[str, str]) -> str:
    """With the places of this machine instead of those in the documentation, each of which must stand in it."""
    for named, here in changes.items():
        assert named in block, named
        block = block.replace(named, here)
    return block


@asynccontextmanager
async def running(folder: Path, block: str, port: int) -> AsyncIterator[None]:
    """An nginx with this block, until the end; it answers on `port` when it begins."""
    user = "user root;" if os.geteuid() == 0 else ""
    file = folder / "nginx.conf"
    file.write_text(_FRAME.format(user=user, folder=folder, block=block), encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        str(NGINX), "-p", str(folder), "-c", str(file), stderr=asyncio.subprocess.DEVNULL
    )
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not await _answers(port):
                assert process.returncode is None, (folder / "error.log").read_text(encoding="utf-8")
                await asyncio.sleep(0.05)
        yield
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _answers(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


@asynccontextmanager
async def as_documented(folder: Path, page: str) -> AsyncIterator[tuple[int, int, ssl.SSLContext]]:
    """In front of the page at an address: the ports without and with encryption, and whom to trust."""
    key, cert = make_server_certificate(folder, "footy.example")
    plain, secure = find_free_port(), find_free_port()
    changes = {
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ssl": f"listen 127.0.0.1:{secure} ssl",
        "/etc/letsencrypt/live/footy.example/fullchain.pem": str(cert),
        "/etc/letsencrypt/live/footy.example/privkey.pem": str(key),
        "http://127.0.0.1:8000": page,
    }
    async with running(folder, adapted(documented(), changes), secure):
        yield plain, secure, ssl.create_default_context(cafile=str(cert))
