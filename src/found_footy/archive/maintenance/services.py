"""Builds the services for stored clips: moderation, the integrity job and the sweep."""

from datetime import timedelta
from uuid import uuid4

from found_footy.archive.maintenance.repair import IntegrityRepairer, RepairTools
from found_footy.archive.maintenance.scan import IntegrityScanner
from found_footy.archive.maintenance.store import IntegrityStore
from found_footy.archive.maintenance.sweep import ObjectSweeper, Trash
from found_footy.archive.moderation.audit_log import AuditLog
from found_footy.archive.moderation.fingerprints import LookalikeFinder
from found_footy.archive.moderation.service import ModerationService
from found_footy.archive.moderation.store import ModerationStore
from found_footy.platform.clock import Clock
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore


def new_audit_id() -> str:
    return uuid4().hex


class MaintenanceServices:
    def __init__(self, database: Database, objects: ObjectStore, now: Clock) -> None:
        self.moderation_store = ModerationStore(database)
        self.audit_log = AuditLog(database)
        self.moderation = ModerationService(self.moderation_store, self.audit_log, objects, now)
        self._integrity_store = IntegrityStore(database)
        self._objects = objects
        self._now = now

    @property
    def sweeper(self) -> ObjectSweeper:
        return ObjectSweeper(
            self._integrity_store,
            self.moderation_store,
            self.audit_log,
            self.moderation,
            self._objects,
            self._now,
            new_audit_id,
            LookalikeFinder(self._objects),
        )

    def build_scanner(self) -> IntegrityScanner:
        return IntegrityScanner(self._integrity_store, self.moderation_store, self.audit_log, self._objects, self._now)

    def build_repairer(self, actor: str, grace: timedelta) -> IntegrityRepairer:
        trash = Trash(self._integrity_store, self._objects)
        return IntegrityRepairer(
            RepairTools(
                self.moderation_store,
                self.audit_log,
                self.moderation,
                self._objects,
                trash,
                self._now,
                new_audit_id,
                actor,
                grace,
            )
        )
