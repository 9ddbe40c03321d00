"""What browsers are told, when they come late, slowly or in numbers."""

import asyncio
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.web.hub import LiveHub, LiveMessage, LiveSubscription, SubscriberLimitReached
from found_footy.web.live import format_message, random_reconnect_ms, stream_messages

AT_ONCE = timedelta(milliseconds=1)
PATIENT = timedelta(seconds=10)


def hub(**limits: int) -> LiveHub:
    return LiveHub("life", **({"max_clients": 10} | limits))


async def reported(subscription: LiveSubscription) -> list[int | None]:
    return [message.fixture_id for message in await subscription.take(AT_ONCE)]


async def test_every_browser_gets_a_change() -> None:
    pipeline = hub()
    with pipeline.subscribe(None) as one, pipeline.subscribe(None) as other:
        pipeline.publish_change(7)
        assert await reported(one) == await reported(other) == [7]


async def test_a_reconnecting_browser_gets_the_missed_changes() -> None:
    pipeline = hub()
    pipeline.publish_change(1)
    cursor = pipeline.cursor
    pipeline.publish_change(2)
    pipeline.publish_change(3)
    with pipeline.subscribe(cursor) as late:
        assert await reported(late) == [2, 3]


async def test_a_browser_that_missed_nothing_gets_nothing() -> None:
    pipeline = hub()
    pipeline.publish_change(1)
    with pipeline.subscribe(pipeline.cursor) as late:
        assert await reported(late) == []


@pytest.mark.parametrize("since", ["other-1", "life-99", "life--1", "life-x", "", "-", "life-" + "9" * 500, "life-²"])
async def test_an_unknown_cursor_means_reload(since: str) -> None:
    pipeline = hub()
    pipeline.publish_change(1)
    with pipeline.subscribe(since) as late:
        assert await reported(late) == [None]


async def test_more_changes_than_are_kept_mean_reload() -> None:
    pipeline = hub(history_size=2)
    cursor = pipeline.cursor
    for fixture in (1, 2, 3):
        pipeline.publish_change(fixture)
    with pipeline.subscribe(cursor) as late:
        assert await reported(late) == [None]


async def test_many_changes_of_a_match_are_one_message_for_a_slow_browser() -> None:
    pipeline = hub()
    with pipeline.subscribe(None) as slow:
        for _ in range(1000):
            pipeline.publish_change(1)
            pipeline.publish_change(2)
        assert await reported(slow) == [1, 2]


async def test_too_many_changed_matches_become_one_reload() -> None:
    pipeline = hub(max_pending=5)
    with pipeline.subscribe(None) as slow:
        for fixture in range(20):
            pipeline.publish_change(fixture)
        assert await reported(slow) == [None]


async def test_a_full_hub_refuses_browsers_until_one_leaves() -> None:
    pipeline = hub(max_clients=1)
    with pipeline.subscribe(None), pytest.raises(SubscriberLimitReached), pipeline.subscribe(None):
        pass
    with pipeline.subscribe(None):
        assert pipeline.client_count == 1


async def test_a_peer_has_its_share_of_streams_and_an_unknown_one_has_none() -> None:
    pipeline = hub(max_clients=10, max_clients_per_peer=1)
    with pipeline.subscribe(None, "one"), pipeline.subscribe(None, "other"):
        with pytest.raises(SubscriberLimitReached) as full, pipeline.subscribe(None, "one"):
            pass
        assert full.value.is_per_peer
        with pipeline.subscribe(None), pipeline.subscribe(None):
            assert pipeline.client_count == 4
    with pipeline.subscribe(None, "one"):
        assert pipeline.client_count == 1


def test_browsers_that_lost_their_stream_together_reconnect_one_by_one() -> None:
    pauses = {random_reconnect_ms() // 500 for _ in range(1000)}
    assert pauses == set(range(4, 12))


@given(st.lists(st.integers(1, 5), max_size=40), st.data())
def test_a_reconnect_at_any_point_loses_no_match(changes: list[int], data: st.DataObject) -> None:
    """Wherever a browser was cut off, what it saw before and what it gets after name every later change."""
    pipeline = hub(history_size=100)
    cut = data.draw(st.integers(0, len(changes)))
    for fixture in changes[:cut]:
        pipeline.publish_change(fixture)
    cursor = pipeline.cursor
    for fixture in changes[cut:]:
        pipeline.publish_change(fixture)
    with pipeline.subscribe(cursor) as late:
        assert set(asyncio.run(reported(late))) == set(changes[cut:])


async def test_the_stream_is_written_as_server_sent_events() -> None:
    pipeline = hub()
    with pipeline.subscribe(None) as subscription:
        lines = stream_messages(pipeline, subscription, PATIENT)
        assert (await anext(lines)).startswith("retry: ")
        pipeline.publish_change(7)
        assert await anext(lines) == 'id: life-1\nevent: match\ndata: {"id": 7}\n\n'
        pipeline.publish_reload()
        assert await anext(lines) == "id: life-2\nevent: reload\ndata: {}\n\n"
        pipeline.close()
        with pytest.raises(StopAsyncIteration):
            await anext(lines)
    assert pipeline.client_count == 0


async def test_an_idle_stream_sends_heartbeats() -> None:
    pipeline = hub()
    with pipeline.subscribe(None) as subscription:
        lines = stream_messages(pipeline, subscription, AT_ONCE)
        await anext(lines)
        assert (await anext(lines)).startswith(":")
        await lines.aclose()


def test_a_message_is_one_block() -> None:
    assert format_message(LiveMessage(3, 5), "life-3").count("\n\n") == 1
