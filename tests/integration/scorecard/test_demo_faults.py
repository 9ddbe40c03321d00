"""Outages that a demo is asked for by name: which there are, and how each is seen to have happened and to be over."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from found_footy.domain.collections import FixtureCollection
from found_footy.domain.outcomes import ClipOutcome
from found_footy.embedded.programs import ProgramState, ProgramStatus
from found_footy.platform.errors import ConfigError
from found_footy.settings import load_settings
from found_footy.views.fixture_views import StoredFixture
from found_footy_sim.demo import chaos_injector, day_progress, outage_injector
from found_footy_sim.demo.chaos_injector import ChaosInjector, FixtureReader
from found_footy_sim.demo.day_progress import DayProgress
from found_footy_sim.demo.outage_injector import (
    OutageInjector,
    OutageKind,
    ProductHandle,
    outage_environment,
    parse_outages,
)
from found_footy_sim.demo.world import DemoWorld
from found_footy_sim.scorecard import process_usage
from found_footy_sim.scorecard.costs import InjectedFault
from tests.support.media.small_videos import mp4

if TYPE_CHECKING:
    from found_footy.embedded.supervisor import Supervisor

NOW = datetime.now(UTC)
OUTAGE_SECONDS = 0.3


def test_outages_are_asked_for_by_name_each_once() -> None:
    assert parse_outages("") == ()
    assert parse_outages("blind-goal, empty-temporal,blind-goal") == (OutageKind.BLIND_GOAL, OutageKind.EMPTY_TEMPORAL)
    with pytest.raises(ConfigError, match="unknown outage earthquake; there are freeze-worker"):
        parse_outages("freeze-worker,earthquake")


def test_a_day_that_loses_its_downloads_has_a_deadline_that_a_demo_can_wait_for() -> None:
    assert outage_environment([OutageKind.FREEZE_WORKER]) == {}
    assert load_settings(outage_environment([OutageKind.EMPTY_TEMPORAL])).settings.fixtures.event_deadline < timedelta(
        minutes=5
    )


async def test_a_complete_day_continues_while_a_fault_is_not_recovered_from() -> None:
    course, answers = DayProgress(), [True, True, False]
    course.update([StoredFixture(FixtureCollection.COMPLETED, {"_id": 1, "events": []})])

    async def unfinished() -> bool:
        return answers.pop(0)

    assert await day_progress._is_day_over(course, None)
    assert [await day_progress._is_day_over(course, unfinished) for _ in range(3)] == [False, False, True]


@dataclass
class SupervisorStandIn:
    """Stands in for the supervisor: its programs are sleeping processes, started again when they are killed."""

    programs: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    stopped: set[str] = field(default_factory=set)

    def start(self, name: str) -> None:
        self.programs[name] = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])

    def list_statuses(self) -> list[ProgramStatus]:
        for name, process in list(self.programs.items()):
            if process.poll() is not None and name not in self.stopped:
                self.start(name)
        return [
            ProgramStatus(name, ProgramState.READY, NOW, None if name in self.stopped else process.pid)
            for name, process in self.programs.items()
        ]

    async def stop_program(self, name: str) -> None:
        self.stopped.add(name)
        self.programs[name].kill()
        self.programs[name].wait()

    async def start_program(self, name: str) -> None:
        self.stopped.discard(name)
        self.start(name)


@pytest.fixture
def machine() -> Iterator[SupervisorStandIn]:
    made = SupervisorStandIn()
    for name in ("worker", "temporal"):
        made.start(name)
    yield made
    for process in made.programs.values():
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("found_footy_sim.demo.polling.SLOW_POLL_SECONDS", 0.01)


@dataclass
class Day:
    """What the product says of itself: the feed is polled for ever unless told otherwise."""

    machine: SupervisorStandIn
    folder: Path
    polls: bool = True
    workflows: list[int] = field(default_factory=lambda: [7, 1])
    days: list[list[StoredFixture]] = field(default_factory=lambda: [[]])

    async def documents(self) -> list[StoredFixture]:
        return self.days.pop(0) if len(self.days) > 1 else self.days[0]

    async def last_poll(self) -> datetime | None:
        return datetime.now(UTC) + timedelta(seconds=1) if self.polls else None

    async def count_workflows(self) -> int:
        return self.workflows.pop(0) if len(self.workflows) > 1 else self.workflows[0]

    def cause(self, outage: OutageKind) -> InjectedFault:
        supervisor = cast("Supervisor", self.machine)
        product = ProductHandle(
            supervisor, self.folder, self.documents, self.last_poll, self.count_workflows, attempts=2
        )
        return asyncio.run(outage_injector.inject_outage(outage, product, started_at=0.0, seconds=OUTAGE_SECONDS))


@pytest.fixture
def day(machine: SupervisorStandIn, tmp_path: Path) -> Day:
    return Day(machine, tmp_path)


def test_a_frozen_worker_is_observed_as_stopped_and_continues_as_the_same_process(day: Day) -> None:
    pid = day.machine.programs["worker"].pid
    fault = day.cause(OutageKind.FREEZE_WORKER)
    assert fault.has_recovered
    assert fault.detail == f"process {pid} was stopped for 0 s"
    assert outage_injector._process_state(pid) != "T"


def test_a_frozen_worker_that_the_supervisor_replaces_is_back_as_another_process(
    day: Day, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = day.machine.programs["worker"]
    asleep = asyncio.sleep

    async def until_replaced(seconds: float) -> None:
        if seconds == OUTAGE_SECONDS:  # not before the injector has seen that it is stopped
            old.kill()
            old.wait()
        await asleep(seconds)

    monkeypatch.setattr("found_footy_sim.demo.outage_injector.asyncio.sleep", until_replaced)
    fault = day.cause(OutageKind.FREEZE_WORKER)
    assert fault.has_recovered
    assert (fault.old_pid, fault.detail) == (old.pid, f"process {old.pid} was stopped for 0 s and replaced")


def test_a_worker_that_does_not_poll_again_is_not_back(day: Day, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outage_injector, "_RECOVERY_TIMEOUT_SECONDS", 0.5)
    day.polls = False
    for outage in (OutageKind.FREEZE_WORKER, OutageKind.STOP_WORKERS, OutageKind.EMPTY_TEMPORAL):
        assert not day.cause(outage).has_recovered, outage


def test_workers_that_are_down_come_back_as_another_process(day: Day) -> None:
    old = day.machine.programs["worker"].pid
    fault = day.cause(OutageKind.STOP_WORKERS)
    assert fault.has_recovered
    assert (fault.old_pid, fault.detail) == (old, "no worker for 0 s")


def test_a_server_that_lost_its_database_has_no_workflows_while_the_worker_continues(day: Day) -> None:
    (day.folder / "temporal").mkdir()
    for name in ("temporal.db", "temporal.db-wal"):
        (day.folder / "temporal" / name).touch()
    fault = day.cause(OutageKind.EMPTY_TEMPORAL)
    assert fault.has_recovered
    assert fault.detail == "7 workflows before, 1 after the restart; the worker continued"
    assert list((day.folder / "temporal").iterdir()) == []


def test_a_server_that_still_has_its_workflows_was_not_emptied(day: Day) -> None:
    day.workflows = [7, 7]
    assert not day.cause(OutageKind.EMPTY_TEMPORAL).has_recovered


BLIND, KEPT = ClipOutcome.VISION_UNAVAILABLE, ClipOutcome.UPLOADED


def make_goal(*attempts: ClipOutcome, clips: int = 0) -> list[StoredFixture]:
    make_truth = {
        f"download-{number}": {"attempt": number, "clips": {"a": {"url": "a", "outcome": outcome}}}
        for number, outcome in enumerate(attempts, start=1)
    }
    event = {"_event_id": "goal", "_telemetry": {"attempts": make_truth}, "_s3_videos": [{"_s3_key": "k"}] * clips}
    return [StoredFixture(FixtureCollection.ACTIVE, {"_id": 1, "events": [event]})]


def test_a_goal_whose_clips_no_attempt_could_check_has_a_playable_clip_in_the_end(day: Day) -> None:
    day.days = [
        [],
        make_goal(BLIND),
        make_goal(BLIND, BLIND),
        make_goal(BLIND, BLIND),
        make_goal(BLIND, BLIND, clips=1),
    ]
    old = day.machine.programs["worker"].pid
    fault = day.cause(OutageKind.BLIND_GOAL)
    assert fault.has_recovered
    assert (fault.old_pid, fault.detail) == (old, "goal: 1 clips not checked in 2 attempts")
    assert fault.new_pid not in (None, old)


@pytest.mark.parametrize(
    "last",
    [make_goal(BLIND), make_goal(BLIND, KEPT, clips=1), make_goal(BLIND, BLIND)],
    ids=["attempts left", "looked at in time", "never looked at"],
)
def test_a_goal_that_was_checked_before_the_end_or_never_does_not_count_as_recovered(
    last: list[StoredFixture], day: Day, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outage_injector, "_RECOVERY_TIMEOUT_SECONDS", 0.5)
    day.days = [[], last]
    assert not day.cause(OutageKind.BLIND_GOAL).has_recovered


def test_what_was_asked_for_and_did_not_end_is_named(day: Day) -> None:
    outages = OutageInjector(None, [OutageKind.BLIND_GOAL], 1.0, DayProgress(), 0.0)  # type: ignore[arg-type]
    [fault] = outages.list_unfired_faults()
    assert (fault.name, fault.has_recovered) == ("blind-goal", False)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_process_that_is_gone_has_no_state() -> None:
    assert outage_injector._process_state(os.getpid()) in "RS"
    assert outage_injector._process_state(2**22 + 1) == ""


# A worker that has the pictures of a video taken again and again, as the product's does.
DECODING_WORKER = """
import asyncio, sys, tempfile
from pathlib import Path
from found_footy.platform.media.frames import extract_frames

async def main():
    while True:
        with tempfile.TemporaryDirectory() as folder:
            await extract_frames(Path(sys.argv[1]), Path(folder))

asyncio.run(main())
"""
# A worker whose fork server has a child that waits.
WAITING_WORKER = """
import os, time
if os.fork() == 0 and os.fork() == 0:
    pass
time.sleep(600)
"""


def injector(machine: SupervisorStandIn, program: str, *arguments: str) -> ChaosInjector:
    """An injector whose worker is this program."""
    machine.programs["worker"].kill()
    machine.programs["worker"].wait()
    machine.programs["worker"] = subprocess.Popen([sys.executable, "-c", program, *arguments], start_new_session=True)
    return ChaosInjector(
        cast("DemoWorld", None), cast("Supervisor", machine), DayProgress(), False, cast("FixtureReader", None)
    )


@pytest.fixture
def _ends_with_its_children(machine: SupervisorStandIn) -> Iterator[None]:
    yield
    os.killpg(machine.programs["worker"].pid, signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.usefixtures("_ends_with_its_children")
def test_a_decoder_is_killed_while_it_decodes_and_another_one_follows(
    machine: SupervisorStandIn, tmp_path: Path
) -> None:
    clip = tmp_path / "clip.mp4"
    clip.write_bytes(mp4(seconds=6.0, width=1280, height=720))
    fault = asyncio.run(injector(machine, DECODING_WORKER, str(clip))._kill_video_reader())
    assert fault.has_recovered
    assert fault.detail.startswith("a decoder that had used 0.")
    worker = machine.programs["worker"]
    assert worker.poll() is None
    running = [process for process in process_usage.list_processes() if not process.has_ended]
    servers = {process.pid for process in running if process.parent_pid == worker.pid}
    assert servers
    assert fault.old_pid not in {process.pid for process in running} | servers


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.usefixtures("_ends_with_its_children")
def test_a_process_that_does_not_decode_is_no_victim(
    machine: SupervisorStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chaos_injector, "RECOVERY_TIMEOUT_SECONDS", 1.0)
    fault = asyncio.run(injector(machine, WAITING_WORKER)._kill_video_reader())
    assert (fault.detail, fault.has_recovered) == ("no video was being decoded", False)
