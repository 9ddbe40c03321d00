"""nginx in front of several processes of the page."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from found_footy.embedded.programs import ProgramSpec
from found_footy.embedded.server import check_listening
from found_footy.platform.errors import ConfigError
from found_footy.platform.files import ensure_private_dir, write_private

# Debian installs it where only root looks for programs.
_DEBIAN_PATH = "/usr/sbin/nginx"
_CONFIG = """
daemon off;
# One process, so that it ends as one.
master_process off;
pid "{folder}/nginx.pid";
error_log "{folder}/error.log";
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path "{folder}/body";
    proxy_temp_path "{folder}/proxy";
    fastcgi_temp_path "{folder}/fastcgi";
    uwsgi_temp_path "{folder}/uwsgi";
    scgi_temp_path "{folder}/scgi";

    # A process that does not accept a connection is left out for five seconds, and the request goes to the next one.
    upstream footy {{
{servers}
    }}

    server {{
        listen 127.0.0.1:{port};
        client_max_body_size 30m;
        proxy_connect_timeout 2s;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_set_header X-Forwarded-Proto $scheme;

        location / {{
            proxy_pass http://footy;
        }}

        # A store on loopback is offered only to callers on the page's machine, which every caller is here. They are
        # recognized by the absence of forwarding headers; a store with an address of its own needs no such rule.
        location ~ /presigned$ {{
            proxy_pass http://footy;
            proxy_set_header Connection "";
            proxy_set_header Host $http_host;
        }}

        location = /events {{
            proxy_pass http://footy;
            proxy_buffering off;
            proxy_read_timeout 1h;
        }}

        location /media/ {{
            proxy_pass http://footy;
            proxy_max_temp_file_size 0;
        }}
    }}
}}
"""


def find_nginx() -> str:
    """Raises ConfigError with the remedy if there is none."""
    found = shutil.which("nginx") or shutil.which(_DEBIAN_PATH)
    if found is None:
        raise ConfigError("nginx is not installed, and the two processes of the page need it: apt install nginx-light")
    return found


def build_config(folder: Path, port: int, page_ports: Sequence[int]) -> str:
    servers = "\n".join(f"        server 127.0.0.1:{one} max_fails=1 fail_timeout=5s;" for one in page_ports)
    return _CONFIG.format(folder=folder, port=port, servers=servers)


def build_proxy_program(folder: Path, port: int, page_ports: Sequence[int]) -> ProgramSpec:
    config = ensure_private_dir(folder) / "nginx.conf"
    write_private(config, build_config(folder, port, page_ports))

    async def probe() -> None:
        await check_listening("nginx", port)

    return ProgramSpec(
        "nginx",
        (find_nginx(), "-p", str(folder), "-c", str(config)),
        ready_probe=probe,
        cwd=folder,
        address=f"http://127.0.0.1:{port}",
    )
