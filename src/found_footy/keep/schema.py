"""The schema version of the database, and the migrations that lead from one version to the next.

A migration may be killed at any point and is then run again from its beginning, so running it twice must have the
effect of running it once. The version is recorded after each. While one process migrates, the others wait.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from found_footy.keep.schema_store import SchemaStore
from found_footy.platform.errors import ConfigError, Unavailable
from found_footy.platform.failpoints import failpoint
from found_footy.platform.logs import ActionLogger
from found_footy.platform.mongo import Database

# Longer than a migration takes; the lease of a process that was killed ends after it.
_LEASE = timedelta(minutes=2)

logger = ActionLogger(__name__)


@dataclass(frozen=True)
class SchemaMigration:
    """Leads from `version - 1` to `version`. Builds up to now wrote version 1."""

    version: int
    name: str
    migrate: Callable[[Database], Awaitable[None]]


MIGRATIONS: tuple[SchemaMigration, ...] = ()
FIRST_VERSION = 1


def find_latest_version(migrations: Sequence[SchemaMigration] = MIGRATIONS) -> int:
    return max((one.version for one in migrations), default=FIRST_VERSION)


SCHEMA_VERSION = find_latest_version()


async def ensure_schema(
    database: Database, holder: str, clock: Callable[[], datetime], migrations: Sequence[SchemaMigration] = MIGRATIONS
) -> int:
    """Bring the database to the version of this build, and return it.

    Raises ConfigError if a newer build wrote it or a restore did not end, Unavailable while another process migrates.
    """
    store, latest = SchemaStore(database), find_latest_version(migrations)
    if await store.is_being_restored():
        raise ConfigError("a restore did not end: repeat `found-footy restore` with the same backup")
    version = await store.read_version(FIRST_VERSION)
    if version > latest:
        raise ConfigError(
            f"the database has schema version {version}, this build knows {latest}: it was written by a newer build"
        )
    if version < latest:
        await _migrate(store, database, holder, clock, [one for one in migrations if one.version > version])
    return latest


async def _migrate(
    store: SchemaStore,
    database: Database,
    holder: str,
    clock: Callable[[], datetime],
    pending: Sequence[SchemaMigration],
) -> None:
    if not await store.claim(holder, clock(), _LEASE):
        raise Unavailable("MongoDB", "another process is migrating the database")
    for migration in sorted(pending, key=lambda one: one.version):
        logger.info("migrating to schema version %d: %s", migration.version, migration.name, action="schema_migrating")
        await migration.migrate(database)
        failpoint("keep.migrated")
        await store.record_version(holder, migration.version, clock() + _LEASE)
        failpoint("keep.version_recorded")
    await store.release(holder)
