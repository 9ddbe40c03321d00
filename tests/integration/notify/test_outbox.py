"""The outbox on MongoDB with real receivers: one message per goal and channel, whatever happens on the way."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from starlette.responses import JSONResponse, Response

from found_footy.cli.notify import describe_entry
from found_footy.domain.collections import FixtureCollection
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.notify.messages import RecordedMoments
from found_footy.notify.rules import NotifyRule
from found_footy.platform.clock import utc_now
from found_footy.platform.mongo import Database
from tests.support.forking import ForkingProgram, open_forking_program
from tests.support.loopback_services import host_of
from tests.support.notify.goals import EVENT_ID, OTHER_EVENT_ID, clip, fixture, goal
from tests.support.notify.receivers import SECRET, Receiver, discord_server, webhook_server
from tests.support.notify.runner import LEASE, LOOK_BACK, open_runner


def discord(receiver: Receiver) -> dict[str, Any]:
    return {"kind": "discord", "url": f"{receiver.base}/api/webhooks/1/discordtoken"}


def webhook(receiver: Receiver) -> dict[str, Any]:
    return {"kind": "webhook", "url": f"{receiver.base}/hooks/pathsecret", "secret": f"whsec_{SECRET}"}


def seen_now(event_id: str = EVENT_ID, **fields: Any) -> dict[str, Any]:
    return goal(event_id, _first_seen=utc_now() + timedelta(seconds=1), **fields)


def match(*events: dict[str, Any], **fields: Any) -> Any:
    return fixture(*events, kickoff=utc_now(), **fields)


async def test_a_goal_is_one_edited_message_or_one_message_per_moment(
    database: Database,
) -> None:
    with discord_server() as chat, webhook_server() as hook:
        channels = {"fans": discord(chat), "mine": webhook(hook)}
        async with open_runner(database, channels, [host_of(chat.base), host_of(hook.base)]) as runner:
            await runner.run()
            event = seen_now()
            await runner.put(match(event))
            assert (await runner.run())[0] == RecordedMoments(1, 2)
            assert await runner.run() == (RecordedMoments(), (await runner.run())[1])
            await runner.put(match({**event, "_s3_videos": [clip("c1")]}))
            await runner.run()
            # The match ends, and the goal is given to another, then taken back.
            moved = {
                **event,
                "_event_id": OTHER_EVENT_ID,
                "_matched_from": EVENT_ID,
                "player": {"id": 9, "name": "G. J"},
            }
            gone = {**event, "_removed": True, "_moved_to": OTHER_EVENT_ID}
            await database[FixtureCollection.ACTIVE].delete_many({})
            await runner.put(match(moved, removed=(gone,)), FixtureCollection.COMPLETED)
            await runner.run()
            last = {**moved, "_removed": True, "_removed_at": utc_now()}
            await runner.put(match(removed=(gone, last)), FixtureCollection.COMPLETED)
            await runner.run()
            await runner.run()
        assert chat.calls == ["POST", "PATCH", "PATCH", "PATCH"]
        assert list(chat.messages) == ["1"]
        assert chat.messages["1"].startswith("**Disallowed")
        told = [body["moments"] for body in hook.bodies]
        assert told == [["confirmed"], ["first_clip"], ["reattributed"], ["disallowed"]]
        assert len(hook.messages) == 4
        assert {body["goal_id"] for body in hook.bodies} == {EVENT_ID}


async def test_goals_from_before_the_switch_are_not_told_and_an_outage_loses_none(database: Database) -> None:
    with discord_server() as chat:
        async with open_runner(database, {"fans": discord(chat)}, [host_of(chat.base)]) as runner:
            old = goal(_first_seen=utc_now() - timedelta(minutes=5))
            await runner.put(match(old))
            await runner.run()
            await runner.put(match({**old, "_s3_videos": [clip("c1")]}))
            assert (await runner.run())[0] == RecordedMoments()
            # Off for hours, during which a goal falls and gets its clip: told as one message.
            missed = seen_now("1001_42_7_Goal_2", _s3_videos=[clip("c2")])
            await runner.put(match(old, missed))
            runner.clock.ahead = timedelta(hours=10)
            assert (await runner.run())[0] == RecordedMoments(2, 2)
            assert chat.calls == ["POST"]
            # Off for longer than is looked back: switched on anew.
            await runner.put(match(old, missed, seen_now("1001_42_7_Goal_3")))
            runner.clock.ahead = timedelta(hours=11) + LOOK_BACK
            assert (await runner.run())[0] == RecordedMoments()
            assert len(chat.messages) == 1


async def test_a_rule_that_is_added_tells_nothing_of_the_past(database: Database) -> None:
    with discord_server() as chat:
        channels, trusted = {"fans": discord(chat)}, [host_of(chat.base)]
        async with open_runner(
            database, channels, trusted, rules=[NotifyRule(channels=("fans",), teams=(1,))]
        ) as runner:
            await runner.run()
            await runner.put(match(seen_now()))
            assert (await runner.run())[0] == RecordedMoments(1, 0)
        async with open_runner(database, channels, trusted) as runner:
            assert (await runner.run())[0] == RecordedMoments()
            assert not chat.calls
        written = NotifyRule(channels=("fans",), text="{player} scores", role="12345")
        async with open_runner(database, channels, trusted, rules=[written]) as runner:
            await runner.put(match(seen_now(), seen_now("1001_42_7_Goal_2")))
            await runner.run()
            assert list(chat.messages.values()) == ["<@&12345>\n**B. Saka scores**"]


async def test_a_channel_that_asks_to_wait_is_left_alone_until_then(database: Database) -> None:
    with discord_server() as chat:
        async with open_runner(database, {"fans": discord(chat)}, [host_of(chat.base)]) as runner:
            await runner.run()
            chat.answers.append(JSONResponse({"retry_after": 120.0}, 429, {"retry-after": "120"}))
            await runner.put(match(seen_now(), seen_now("1001_42_7_Goal_2")))
            assert (await runner.run())[1].postponed == 1
            runner.clock.ahead = timedelta(seconds=110)
            await runner.run()
            assert len(chat.calls) == 1
            runner.clock.ahead = timedelta(seconds=125)
            assert (await runner.run())[1].sent == 2
            assert len(chat.messages) == 2


async def test_a_refused_message_shows_why_and_is_sent_again_when_asked_for(database: Database) -> None:
    with discord_server() as chat:
        async with open_runner(database, {"fans": discord(chat)}, [host_of(chat.base)]) as runner:
            await runner.run()
            chat.answers.append(JSONResponse({"message": "Unknown Webhook", "code": 10015}, 404))
            await runner.put(match(seen_now()))
            assert (await runner.run())[1].failed == 1
            await runner.run()
            assert len(chat.calls) == 1
            (listed,) = await runner.store.list_entries(10, "fans", only_unsent=True)
            assert describe_entry(listed)["state"] == "failed"
            assert "status 404" in describe_entry(listed)["why"]
            assert "Unknown Webhook" in describe_entry(listed)["why"]
            assert await runner.store.reopen("fans") == 1
            assert (await runner.run())[1].sent == 1
            assert not await runner.store.list_entries(10, "fans", only_unsent=True)


async def test_failures_are_tried_again_with_pauses_and_a_deleted_message_is_followed_by_a_new_one(
    database: Database,
) -> None:
    with discord_server() as chat:
        async with open_runner(database, {"fans": discord(chat)}, [host_of(chat.base)]) as runner:
            await runner.run()
            chat.answers += [Response(status_code=502), Response(status_code=502)]
            event = seen_now()
            await runner.put(match(event))
            for seconds in (0, 16, 20, 48):
                runner.clock.ahead = timedelta(seconds=seconds)
                await runner.run()
            assert chat.calls == ["POST"] * 3
            assert len(chat.messages) == 1
            chat.messages.clear()
            await runner.put(match({**event, "_s3_videos": [clip("c1")]}))
            await runner.run()
            assert chat.calls[3:] == ["PATCH", "POST"]
            assert "1 clip" in chat.messages["1"]


async def test_two_workers_at_once_send_one_message(database: Database) -> None:
    with discord_server() as chat:
        trusted = [host_of(chat.base)]
        async with (
            open_runner(database, {"fans": discord(chat)}, trusted) as one,
            open_runner(database, {"fans": discord(chat)}, trusted) as other,
        ):
            await one.run()
            await one.put(match(*(seen_now(f"1001_42_7_Goal_{number}") for number in range(1, 6))))
            await asyncio.gather(one.run(), other.run(), one.run(), other.run())
            await one.run()
            assert len(chat.messages) == 5
            assert len(chat.calls) == 5


async def test_a_claimed_message_is_nobody_elses_until_the_lease_ends(database: Database) -> None:
    with discord_server() as chat:
        async with open_runner(database, {"fans": discord(chat)}, [host_of(chat.base)]) as runner:
            await runner.run()
            await runner.put(match(seen_now()))
            await runner.recorder.record_new(LOOK_BACK)
            claim, now = partial(runner.store.claim, "fans", lease=LEASE), utc_now()
            first = await claim(holder="one", now=now)
            assert first is not None
            assert await claim(holder="other", now=now + LEASE / 2) is None
            assert await claim(holder="other", now=now + 2 * LEASE) is not None
            # The first one is late: it may no longer begin.
            assert not await runner.store.begin(first["_id"], "one", {"id": "x", "moments": [], "at": now})


@dataclass(frozen=True)
class Kill:
    """How many messages Discord gets about the confirmed goal, as it is and if what is in doubt is sent again."""

    failpoint: str
    held: int
    doubtful: bool = False
    resent: int = 1


KILLS = [
    Kill("notify.outbox_written", 1),
    Kill("notify.claimed", 1),
    Kill("notify.before_send", 0, doubtful=True),
    Kill("notify.after_send", 1, doubtful=True, resent=2),
]


async def test_after_a_kill_there_is_one_message(
    platform: PlatformEndpoints, database: Database, tmp_path: Path
) -> None:
    """A webhook's receiver knows a repetition by its id. Discord does not: a first message that was about to be sent
    is not sent again unless the owner prefers that, and the next moment tells all.
    """
    async with open_forking_program("notify/runner.py") as program:
        for kill in KILLS:
            with discord_server() as held, discord_server() as resent, webhook_server() as hook:
                killing = partial(run_killed, platform, database, tmp_path, program, kill)
                await killing("held", discord(held), held)
                assert len(held.messages) == kill.held + kill.doubtful, kill
                assert "1 clip" in list(held.messages.values())[-1], kill
                if kill.doubtful:
                    await killing("resent", discord(resent), resent)
                    assert len(resent.messages) == kill.resent, kill
                    await killing("mine", webhook(hook), hook)
                    assert len(hook.messages) == 2, kill


async def run_killed(
    platform: PlatformEndpoints,
    database: Database,
    folder: Path,
    program: ForkingProgram,
    kill: Kill,
    name: str,
    channel: dict[str, Any],
    receiver: Receiver,
) -> None:
    """A goal is confirmed, the sender is killed and comes back, and then the goal has a clip."""
    trusted, channels = [host_of(receiver.base)], {name: channel}
    for collection in await database.list_collection_names():
        await database[collection].delete_many({})
    async with open_runner(database, channels, trusted, resends=name == "resent") as runner:
        await runner.run()
        event = seen_now()
        await runner.put(match(event))
        order = {"mongo": platform.mongodb_uri, "database": database.name, "channels": channels, "trusted": trusted}
        marker = str(folder / f"{name}-{kill.failpoint}")
        assert await program.send({**order, "failpoint": kill.failpoint, "marker": marker}) == 9
        runner.clock.ahead = 2 * LEASE
        for _ in range(2):
            await runner.run()
        if name == "held":
            assert len(receiver.messages) == kill.held, kill
            assert bool((await runner.entry()).get("doubtful")) is kill.doubtful, kill
        await runner.put(match({**event, "_s3_videos": [clip("c1")]}))
        await runner.run()
