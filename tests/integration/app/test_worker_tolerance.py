"""The clock's tolerance is one setting."""

from pathlib import Path

from temporalio.client import Client

from found_footy.activities_factory import build_activities
from found_footy.app import AppContext
from found_footy.clips.check.checker import VisionClipChecker
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.settings import load_settings


async def test_the_tolerance_reaches_the_checker_and_the_rejection_of_clips_of_other_goals(
    database: Database, objects: ObjectStore, temporal: Client, tmp_path: Path
) -> None:
    settings = load_settings(
        {"FOOTY_DATA_DIR": str(tmp_path), "FOOTY_VISION__READER": "local", "FOOTY_VISION__TOLERANCE": "7"}
    ).settings
    async with build_activities(AppContext(settings, database, objects, temporal)) as served:
        reader = served.clips._checker
        assert isinstance(reader, VisionClipChecker)
        assert (reader._rules.tolerance, served.archive._rules.tolerance) == (7, 7)
