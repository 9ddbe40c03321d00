"""Three mongod as one replica set, with authentication."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar

from pymongo import AsyncMongoClient
from pymongo.errors import PyMongoError

from found_footy.embedded.binaries import preflight_mongod
from found_footy.embedded.mongodb import REPLICA_SET, build_mongod_command, find_mongod
from found_footy.embedded.ports import HOST
from found_footy.embedded.programs import ProgramSpec
from found_footy.embedded.server import ServerContext, check_listening
from found_footy.platform.errors import Unavailable
from found_footy.platform.files import write_private
from found_footy.platform.mongo import close_client
from found_footy_sim.cluster.timing import READY_TIMEOUT
from found_footy_sim.demo.polling import wait_until_answered

_TIMEOUT_MS = 3_000
_ELECTION_TIMEOUT_SECONDS = 180.0
_HEALTHY_STATES = ("PRIMARY", "SECONDARY")

MongoClient = AsyncMongoClient[dict[str, Any]]


class ReplicaSet:
    """Elections have MongoDB's default timeout of 10 s."""

    members: ClassVar[tuple[str, ...]] = ("mongodb-1", "mongodb-2", "mongodb-3")

    def __init__(self, context: ServerContext) -> None:
        self._context = context

    @property
    def uri(self) -> str:
        credentials, hosts = self._context.credentials, ",".join(map(self._address, self.members))
        return (
            f"mongodb://{credentials.mongodb_user}:{credentials.mongodb_password}@{hosts}"
            f"/?replicaSet={REPLICA_SET}&authSource=admin"
        )

    async def build_programs(self) -> list[ProgramSpec]:
        mongod = find_mongod()
        await preflight_mongod(mongod)
        return [self._build_program(mongod, name) for name in self.members]

    async def initiate(self) -> None:
        """Make the running members one replica set, and create the user. Returns once there is a primary."""
        first = self.members[0]
        async with self._open_client(first, as_user=False) as anonymous:
            members = [{"_id": number, "host": self._address(name)} for number, name in enumerate(self.members)]
            # The first one is to win the first election: the user can be created only there, by a local client.
            members[0]["priority"] = 2
            await anonymous.admin.command("replSetInitiate", {"_id": REPLICA_SET, "members": members})
            await wait_until_answered(lambda: self._is_primary(first), _ELECTION_TIMEOUT_SECONDS)
            credentials = self._context.credentials
            await anonymous.admin.command(
                "createUser", credentials.mongodb_user, pwd=credentials.mongodb_password, roles=["root"]
            )
        await self._equalize_priorities(first)

    async def _is_primary(self, name: str) -> bool:
        return bool((await self._read_hello(name)).get("isWritablePrimary"))

    async def find_primary(self) -> str:
        """Return the member that takes writes. Raises Unavailable if none says so."""
        for name in self.members:
            if await self._is_primary(name):
                return name
        raise Unavailable("MongoDB", "the replica set has no primary")

    async def count_healthy(self) -> int:
        """Return how many members are primary or secondary, as the primary sees them."""
        async with self._open_client(await self.find_primary(), as_user=True) as client:
            try:
                status = await client.admin.command("replSetGetStatus")
            except PyMongoError as error:
                raise Unavailable("MongoDB", str(error)) from error
        return sum(member["stateStr"] in _HEALTHY_STATES for member in status["members"])

    async def _equalize_priorities(self, primary: str) -> None:
        """A member with a higher priority would take the lead back as soon as it returns: a second interruption."""
        async with self._open_client(primary, as_user=True) as client:
            config = (await client.admin.command("replSetGetConfig"))["config"]
            members = [{**member, "priority": 1} for member in config["members"]]
            changed = {**config, "version": config["version"] + 1, "members": members}
            await client.admin.command("replSetReconfig", changed)

    async def _read_hello(self, name: str) -> dict[str, Any]:
        """Nothing if the member does not answer."""
        try:
            async with self._open_client(name, as_user=False) as client:
                return await client.admin.command("hello")
        except PyMongoError:
            return {}

    def _build_program(self, mongod: Path, name: str) -> ProgramSpec:
        home = self._context.make_directory(name)
        key_file = home / "replica.key"
        write_private(key_file, self._context.credentials.mongodb_key)
        port = self._context.ports[name]

        async def probe() -> None:
            await check_listening("MongoDB", port)
            if not await self._read_hello(name):
                raise Unavailable("MongoDB", f"{name} does not answer")

        return ProgramSpec(
            name,
            build_mongod_command(mongod, self._context.make_directory(f"{name}/db"), key_file, port),
            ready_probe=probe,
            env=self._context.build_environment(home),
            cwd=home,
            ready_timeout=READY_TIMEOUT,
            address=self._address(name),
        )

    @asynccontextmanager
    async def _open_client(self, name: str, *, as_user: bool) -> AsyncIterator[MongoClient]:
        options: dict[str, Any] = {"directConnection": True, "serverSelectionTimeoutMS": _TIMEOUT_MS}
        if as_user:
            credentials = self._context.credentials
            options |= {
                "username": credentials.mongodb_user,
                "password": credentials.mongodb_password,
                "authSource": "admin",
            }
        client: MongoClient = AsyncMongoClient(HOST, self._context.ports[name], **options)
        try:
            yield client
        finally:
            await close_client(client)

    def _address(self, name: str) -> str:
        return f"{HOST}:{self._context.ports[name]}"
