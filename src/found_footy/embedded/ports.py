"""Ports: chosen once per data directory, then kept, since a replica set stores its member's address."""

import random
import socket
from collections.abc import Iterable, Mapping
from pathlib import Path

from found_footy.embedded.files import read_json, write_json
from found_footy.platform.errors import ConfigError, Conflict

HOST = "127.0.0.1"
PORTS_FILE = "ports.json"
# Below the ephemeral ports of Linux (from 32768) and macOS (from 49152): an outgoing connection could take a stored
# port.
_PORT_RANGE = range(10_000, 22_700)
_MAX_ATTEMPTS = 200
# SeaweedFS expects the gRPC port 10 000 above its HTTP port, whatever it is configured to.
_GRPC_SUFFIX = "-grpc"
_GRPC_PORT_OFFSET = 10_000


def load_or_assign_ports(data_dir: Path, names: Iterable[str]) -> dict[str, int]:
    """Return the port of every name: the stored one, else a free one, which is stored."""
    path = data_dir / PORTS_FILE
    known = {name: _validate_port(path, name, port) for name, port in read_json(path).items()}
    ports = dict(known)
    for name in names:
        if name in ports:
            continue
        base = ports.get(name.removesuffix(_GRPC_SUFFIX))
        ports[name] = _find_free_port(set(ports.values())) if base is None else base + _GRPC_PORT_OFFSET
    if ports != known:
        write_json(path, ports)
    return ports


def refuse_taken_ports(data_dir: Path, server: str, ports: Mapping[str, int]) -> None:
    """Raise Conflict that names each port that is taken, its server and the remedy."""
    for name, port in ports.items():
        if not _is_port_free(port):
            raise Conflict(
                f"{server} needs port {port} ({name}), and another program listens there; "
                f"stop that program, or write another number for {name!r} in {data_dir / PORTS_FILE}"
            )


def _validate_port(path: Path, name: str, port: object) -> int:
    if not isinstance(port, int) or not 0 < port < 65_536:
        raise ConfigError(f"{path}: {name!r} should be a port number, not {port!r}")
    return port


def _find_free_port(taken: set[int]) -> int:
    for _ in range(_MAX_ATTEMPTS):
        port = random.choice(_PORT_RANGE)
        if not taken & _conflicting_ports(port) and _is_port_free(port) and _is_port_free(port + _GRPC_PORT_OFFSET):
            return port
    raise Conflict(f"no free port found between {_PORT_RANGE.start} and {_PORT_RANGE.stop} on {HOST}")


def _conflicting_ports(port: int) -> set[int]:
    """The port, its gRPC twin, and the port whose twin it would be: any of them may be assigned, now or later."""
    return {port - _GRPC_PORT_OFFSET, port, port + _GRPC_PORT_OFFSET}


def _is_port_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True
