"""Settings of retention and of the nightly sweep."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from found_footy.archive.maintenance.messages import SweepRequest
from found_footy.platform.settings.groups import Duration, SettingsGroup


class MaintenanceSettings(SettingsGroup):
    sweep_cron: Annotated[str, Field(pattern=r"^\S+( \S+){4}$")] = "35 3 * * *"
    """When the nightly sweep runs, in cron's words, UTC."""

    sweep_timeout: Duration = timedelta(hours=20)
    """When a sweep that still runs is ended, so that the next night's can begin."""

    orphan_grace: Duration = timedelta(hours=24)
    """How old an object that no record needs must be before it is swept."""

    scratch_grace: Duration = timedelta(hours=24)
    """How old a scratch file must be before it is swept, unless its goal is still being searched for."""

    scratch_limit: Duration = timedelta(days=7)
    """How old a scratch file may become in any case."""

    trash_rest: Duration = timedelta(hours=1)
    """How long swept objects rest in the trash before a last look; longer than an upload may take."""


def build_sweep_request(settings: MaintenanceSettings) -> SweepRequest:
    return SweepRequest(settings.orphan_grace, settings.scratch_grace, settings.scratch_limit, settings.trash_rest)
