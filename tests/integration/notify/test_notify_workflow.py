"""The workflow on Temporal, its schedule, and the command that tests a channel."""

import json
from datetime import timedelta
from uuid import uuid4

import pytest
from starlette.responses import JSONResponse
from temporalio.client import Client
from temporalio.worker import Worker

from found_footy.cli.notify import send_test_message
from found_footy.domain.messages import TaskQueues
from found_footy.notify.activities import NotifyActivities
from found_footy.notify.messages import NOTIFY_SCHEDULE, NotifyRequest, NotifySummary, RecordedMoments, SentMessages
from found_footy.notify.notify_workflow import NotifyWorkflow
from found_footy.notify.rules import NotifyRule
from found_footy.platform.clock import utc_now
from found_footy.platform.mongo import Database
from found_footy.platform.temporal.client import TypedErrorInterceptor
from found_footy.schedules import build_schedules
from found_footy.settings import load_settings
from found_footy.worker import find_activities
from tests.support.histories import record
from tests.support.loopback_services import host_of
from tests.support.notify.goals import fixture, goal
from tests.support.notify.receivers import discord_server
from tests.support.notify.runner import open_runner

RULES = '[{"channels":["fans"]}]'
CHANNELS = '{"fans":{"kind":"discord","url":"https://discord.com/api/webhooks/1/t"}}'


async def test_a_run_records_and_sends(database: Database, temporal: Client, queues: TaskQueues) -> None:
    with discord_server() as chat:
        channels = {"fans": {"kind": "discord", "url": f"{chat.base}/api/webhooks/1/discordtoken"}}
        async with open_runner(database, channels, [host_of(chat.base)]) as runner:
            await runner.run()
            await runner.put(fixture(goal(_first_seen=utc_now() + timedelta(seconds=1)), kickoff=utc_now()))
            activities = NotifyActivities(runner.recorder, runner.sender)
            async with Worker(
                temporal,
                task_queue=queues.main,
                workflows=[NotifyWorkflow],
                activities=find_activities(activities),
                interceptors=[TypedErrorInterceptor()],
            ):
                handle = await temporal.start_workflow(
                    NotifyWorkflow.run, NotifyRequest(), id=f"notify-{uuid4()}", task_queue=queues.main
                )
                assert await handle.result() == NotifySummary(RecordedMoments(1, 1), SentMessages(sent=1))
            await record(handle, "notify")
        assert len(chat.messages) == 1


async def test_a_schedule_that_is_left_over_records_nothing(database: Database) -> None:
    async with open_runner(database, {}, [], rules=[NotifyRule(channels=("fans",))]) as runner:
        await runner.put(fixture(goal(_first_seen=utc_now()), kickoff=utc_now()))
        off = NotifyActivities(None, runner.sender)
        assert await off.record_moments(NotifyRequest()) == RecordedMoments()
        assert not await database["goal_moments"].count_documents({})


def test_there_is_a_schedule_only_if_there_are_rules() -> None:
    base = {"FOOTY_DATA_DIR": "/nonexistent", "FOOTY_NOTIFY__CHANNELS": CHANNELS}
    assert NOTIFY_SCHEDULE not in build_schedules(load_settings(base).settings)
    settings = load_settings({**base, "FOOTY_NOTIFY__RULES": RULES, "FOOTY_NOTIFY__INTERVAL": "20s"}).settings
    (interval,) = build_schedules(settings)[NOTIFY_SCHEDULE].spec.intervals
    assert interval.every == timedelta(seconds=20)


def test_the_command_sends_a_test_message_or_shows_the_channels_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with discord_server() as chat:
        channels = {"fans": {"kind": "discord", "url": f"{chat.base}/api/webhooks/1/discordtoken"}}
        monkeypatch.setenv("FOOTY_DATA_DIR", "/nonexistent")
        monkeypatch.setenv("FOOTY_NOTIFY__CHANNELS", json.dumps(channels))
        monkeypatch.setenv("FOOTY_TRUSTED_HOSTS", host_of(chat.base))
        chat.answers.append(JSONResponse({"message": "Unknown Webhook", "code": 10015}, 404))
        assert send_test_message("fans") == 1
        refused = capsys.readouterr().err
        assert "Discord: status 404" in refused
        assert "Unknown Webhook" in refused
        assert "discordtoken" not in refused
        assert send_test_message("fans") == 0
        assert capsys.readouterr().out == "fans: the message was sent\n"
        assert "This channel works" in chat.messages["1"]
        assert send_test_message("fan") == 2
        assert "FOOTY_NOTIFY__CHANNELS has fans" in capsys.readouterr().err
