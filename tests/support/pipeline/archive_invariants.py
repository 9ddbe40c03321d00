"""What must be true of every archive at every quiet moment: the demo's own checker, as an assertion."""

from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy_sim.demo.archive_invariants import find_archive_faults, find_record_faults


async def assert_records_are_sound(database: Database) -> None:
    assert await find_record_faults(database) == []


async def assert_archive_is_sound(database: Database, objects: ObjectStore) -> None:
    """Records, and between them and the objects: nothing missing, nothing changed, nothing left over, nothing twice."""
    assert await find_archive_faults(database, objects) == []
