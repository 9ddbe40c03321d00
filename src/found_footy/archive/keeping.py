"""Everything that looks after what is stored, put together: people's decisions, the integrity job, the sweep."""

from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import uuid4

from found_footy.archive.audit import AuditLog
from found_footy.archive.integrity_repair import Repairer, Tools
from found_footy.archive.integrity_store import IntegrityStore
from found_footy.archive.integrity_walk import Inspector
from found_footy.archive.judgement_keeper import Keeper
from found_footy.archive.judgement_prints import Lookalikes
from found_footy.archive.judgement_store import JudgementStore
from found_footy.archive.sweep import Bin, Sweeper
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore


def new_id() -> str:
    return uuid4().hex


class Keeping:
    def __init__(self, database: Database, objects: ObjectStore, now: Callable[[], datetime]) -> None:
        self.judgements = JudgementStore(database)
        self.log = AuditLog(database)
        self.keeper = Keeper(self.judgements, self.log, objects, now)
        self._records = IntegrityStore(database)
        self._objects = objects
        self._now = now

    @property
    def sweeper(self) -> Sweeper:
        return Sweeper(
            self._records, self.judgements, self.log, self.keeper, self._objects, self._now, new_id,
            Lookalikes(self._objects),
        )  # fmt: skip

    def inspector(self) -> Inspector:
        return Inspector(self._records, self.judgements, self.log, self._objects, self._now)

    def repairer(self, by: str, grace: timedelta) -> Repairer:
        bin_ = Bin(self._records, self._objects)
        return Repairer(
            Tools(self.judgements, self.log, self.keeper, self._objects, bin_, self._now, new_id, by, grace)
        )
