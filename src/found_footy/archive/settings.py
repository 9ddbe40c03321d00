"""Settings of retention and of the nightly sweep."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from found_footy.archive.maintenance.messages import SweepRequest
from found_footy.platform.settings.groups import Duration, SettingsGroup


class MaintenanceSettings(SettingsGroup):
    sweep_cron: Annotated[str, Field(pattern=r"^\S+( \S+){4}$")] = "35 3 * * *"
    """When the nightly sweep runs: a cron expression, in UTC."""

    sweep_timeout: Duration = timedelta(hours=20)
    """Time limit of a sweep; one that still runs is terminated, so that the next can start."""

    orphan_grace: Duration = timedelta(hours=24)
    """Minimum age of an object that no record needs before it is moved to the trash."""

    scratch_grace: Duration = timedelta(hours=24)
    """Minimum age of a scratch file before it is deleted, unless its goal still needs it."""

    scratch_limit: Duration = timedelta(days=7)
    """Maximum age of a scratch file; an older one is deleted in any case."""

    trash_rest: Duration = timedelta(hours=1)
    """How long objects stay in the trash before they are deleted, if unneeded; longer than an upload takes."""


def build_sweep_request(settings: MaintenanceSettings) -> SweepRequest:
    return SweepRequest(settings.orphan_grace, settings.scratch_grace, settings.scratch_limit, settings.trash_rest)
