"""The base class of embedded servers and the context they are configured from."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Protocol

from found_footy.embedded.credentials import ServerCredentials
from found_footy.embedded.ports import HOST
from found_footy.embedded.programs import ProgramSpec
from found_footy.platform.errors import Unavailable
from found_footy.platform.files import ensure_private_dir

_CONNECT_TIMEOUT_SECONDS = 1.0


@dataclass(frozen=True)
class NotificationTarget:
    """Where the object store sends its notifications. Without a secret of the user's, one is generated."""

    url: str
    bucket: str
    secret: str = field(default="", repr=False)


@dataclass(frozen=True)
class ServerContext:
    """One data directory with its ports and secrets."""

    data_dir: Path
    ports: Mapping[str, int]
    credentials: ServerCredentials
    notifications: NotificationTarget | None = None

    def make_directory(self, name: str) -> Path:
        return ensure_private_dir(self.data_dir / name)

    def build_environment(self, home: Path) -> dict[str, str]:
        """A clean environment: the user's configuration of other servers must not affect ours."""
        kept = {key: os.environ[key] for key in ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH") if key in os.environ}
        return {**kept, "HOME": str(home), "TMPDIR": str(self.make_directory("tmp"))}


class EmbeddedServer(Protocol):
    """One server of the platform. `endpoint_fields` names the fields of `PlatformEndpoints` that it fills."""

    name: ClassVar[str]
    port_names: ClassVar[tuple[str, ...]]
    endpoint_fields: ClassVar[tuple[str, ...]]

    def __init__(self, context: ServerContext) -> None: ...

    async def prepare(self) -> ProgramSpec:
        """Find the binary and write the configuration; raises ConfigError with the remedy."""
        ...

    def endpoints(self) -> dict[str, str]: ...


async def check_listening(system: str, port: int) -> None:
    """Raise Unavailable unless something listens: cheaper than a client library's connection timeout."""
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(HOST, port), _CONNECT_TIMEOUT_SECONDS)
    except (OSError, TimeoutError) as error:
        raise Unavailable(system, f"nothing listens on port {port} yet") from error
    writer.close()
