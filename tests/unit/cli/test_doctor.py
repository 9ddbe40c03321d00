"""`found-footy doctor`: what it says at the end is what it found."""

from pathlib import Path

import pytest

from found_footy import health
from found_footy.cli import console, doctor, status
from found_footy.platform.disk import DiskFloorRule, FileSystem
from found_footy.platform.probes import ProbeResult
from found_footy.settings import Settings, load_settings
from found_footy.web.deps import DependencyStatus

SERVERS = ("MongoDB", "Temporal", "object store")
OTHERS = (health.FEED, health.SEARCH, health.WORKER, health.MONITOR, health.INGEST)


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "is_down", lambda *_: False)


@pytest.mark.usefixtures("running")
@pytest.mark.parametrize("broken", [None, *SERVERS, health.DISK, health.VISION, *OTHERS])
async def test_doctor_succeeds_only_if_every_check_does(
    broken: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def probed(_: Settings) -> list[ProbeResult]:
        return [ProbeResult(name, name != broken, 1, "seen", "" if name != broken else "start it") for name in SERVERS]

    async def looked(_: Settings) -> DependencyStatus:
        return DependencyStatus(health.VISION, broken != health.VISION, "seen", required=False)

    async def measured(_: Settings) -> DependencyStatus:
        return DependencyStatus(health.DISK, broken != health.DISK, "seen", required=False)

    async def rest(*_: object) -> list[DependencyStatus]:
        return [DependencyStatus(name, broken != name, "seen", required=False) for name in OTHERS]

    monkeypatch.setattr(doctor, "probe_servers", probed)
    monkeypatch.setattr(doctor, "check_vision", looked)
    monkeypatch.setattr(doctor, "check_disk", measured)
    monkeypatch.setattr(doctor, "check_services", rest)
    code = await doctor.run_checks(Settings())
    said = capsys.readouterr()
    end = f"1 of 11 not working: {broken}" if broken else "Everything works."
    assert (said.out + said.err).strip().endswith(end)
    assert code == (console.FAILED if broken else console.OK)


async def test_what_depends_on_a_broken_server_is_not_checked_and_not_reported_as_working() -> None:
    settings = load_settings({"TWITTER_SERVICE_URL": "http://127.0.0.1:1", "FOOTY_DATA_DIR": "nowhere"}).settings
    rows = {row.name: row for row in await doctor.check_services(settings, ["MongoDB"])}
    assert sorted(rows) == sorted(OTHERS)
    assert not any(row.ok for row in rows.values())
    assert rows[health.WORKER].detail == "not checked: MongoDB must work first"
    assert "API_FOOTBALL_KEY" in rows[health.FEED].remedy


async def test_where_nothing_runs_doctor_says_how_to_start_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MONGODB_URI", "TEMPORAL_ADDRESS", "S3_ENDPOINT", "S3_ACCESS_KEY", "S3_SECRET_KEY", "NATS_URL"):
        monkeypatch.delenv(name, raising=False)
    settings = load_settings({"FOOTY_DATA_DIR": str(tmp_path)}).settings
    for command in (doctor.run_checks, status.show_status):
        assert await command(settings) == console.FAILED
        said = capsys.readouterr()
        assert "run `found-footy up` (`make up`)" in said.err
        assert "Temporal" not in said.out
        assert "Everything works" not in said.out
        assert command is not doctor.run_checks or f"{tmp_path}: " in said.out


def test_configured_servers_are_checked_though_nothing_runs_here(tmp_path: Path) -> None:
    settings = load_settings({"FOOTY_DATA_DIR": str(tmp_path)}).settings
    assert status.is_down(settings, {})
    assert not status.is_down(settings, {"MONGODB_URI": "mongodb://db.example.org"})


RULE = DiskFloorRule(0.05, 2 * 10**9)
DATA = FileSystem((Path("/data"), Path("/data/clips")), 12 * 10**9, 40 * 10**9)
LOW = FileSystem((Path("/clips"),), 10**9, 40 * 10**9)


def test_a_disk_with_free_space_is_reported_with_its_floor() -> None:
    row = health.disk_dependency([DATA], RULE, elsewhere=False)
    assert (row.ok, row.remedy) == (True, "")
    assert row.detail == "/data: 12.0 GB of 40.0 GB free; downloads pause below 2.0 GB"


def test_a_disk_below_its_floor_is_reported_with_what_pauses_and_what_to_do() -> None:
    row = health.disk_dependency([DATA, LOW], RULE, elsewhere=False)
    assert (row.ok, row.state, row.required) == (False, "broken", False)
    assert row.detail == (
        "/clips: 1.0 GB of 40.0 GB free, below the floor of 2.0 GB: no new clip is downloaded until 2.2 GB are free"
    )
    assert row.remedy == "free space on the disk of /clips; downloads resume by themselves"


def test_doctor_says_that_the_disks_of_external_servers_are_not_checked() -> None:
    assert "servers elsewhere are not checked" in health.disk_dependency([DATA], RULE, elsewhere=True).detail
    assert "not checked" not in health.disk_dependency([DATA], RULE, elsewhere=False).detail
