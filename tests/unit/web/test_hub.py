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


async def told(subscription: LiveSubscription) -> list[int | None]:
    return [message.fixture_id for message in await subscription.take(AT_ONCE)]


async def test_every_browser_hears_of_a_change() -> None:
    house = hub()
    with house.subscribe(None) as one, house.subscribe(None) as other:
        house.publish_change(7)
        assert await told(one) == await told(other) == [7]


async def test_a_browser_that_was_away_gets_what_it_missed() -> None:
    house = hub()
    house.publish_change(1)
    cursor = house.cursor
    house.publish_change(2)
    house.publish_change(3)
    with house.subscribe(cursor) as late:
        assert await told(late) == [2, 3]


async def test_a_browser_that_missed_nothing_is_told_nothing() -> None:
    house = hub()
    house.publish_change(1)
    with house.subscribe(house.cursor) as late:
        assert await told(late) == []


@pytest.mark.parametrize("since", ["other-1", "life-99", "life--1", "life-x", "", "-", "life-" + "9" * 500, "life-²"])
async def test_a_place_that_is_not_known_here_means_reload(since: str) -> None:
    house = hub()
    house.publish_change(1)
    with house.subscribe(since) as late:
        assert await told(late) == [None]


async def test_more_than_the_memory_holds_means_reload() -> None:
    house = hub(history_size=2)
    cursor = house.cursor
    for fixture in (1, 2, 3):
        house.publish_change(fixture)
    with house.subscribe(cursor) as late:
        assert await told(late) == [None]


async def test_many_changes_of_a_match_are_one_message_for_a_slow_browser() -> None:
    house = hub()
    with house.subscribe(None) as slow:
        for _ in range(1000):
            house.publish_change(1)
            house.publish_change(2)
        assert await told(slow) == [1, 2]


async def test_too_many_changed_matches_become_one_reload() -> None:
    house = hub(max_pending=5)
    with house.subscribe(None) as slow:
        for fixture in range(20):
            house.publish_change(fixture)
        assert await told(slow) == [None]


async def test_a_full_house_says_so_and_a_browser_that_leaves_makes_room() -> None:
    house = hub(max_clients=1)
    with house.subscribe(None), pytest.raises(SubscriberLimitReached), house.subscribe(None):
        pass
    with house.subscribe(None):
        assert house.client_count == 1


async def test_a_peer_has_its_share_and_who_is_not_named_none() -> None:
    house = hub(max_clients=10, max_clients_per_peer=1)
    with house.subscribe(None, "one"), house.subscribe(None, "other"):
        with pytest.raises(SubscriberLimitReached) as full, house.subscribe(None, "one"):
            pass
        assert full.value.is_per_peer
        with house.subscribe(None), house.subscribe(None):
            assert house.client_count == 4
    with house.subscribe(None, "one"):
        assert house.client_count == 1


def test_browsers_that_lost_their_stream_together_come_back_one_by_one() -> None:
    pauses = {random_reconnect_ms() // 500 for _ in range(1000)}
    assert pauses == set(range(4, 12))


@given(st.lists(st.integers(1, 5), max_size=40), st.data())
def test_a_reconnect_at_any_point_loses_no_match(changes: list[int], data: st.DataObject) -> None:
    """Wherever a browser was cut off, what it saw before and what it gets after name every later change."""
    house = hub(history_size=100)
    cut = data.draw(st.integers(0, len(changes)))
    for fixture in changes[:cut]:
        house.publish_change(fixture)
    cursor = house.cursor
    for fixture in changes[cut:]:
        house.publish_change(fixture)
    with house.subscribe(cursor) as late:
        assert set(asyncio.run(told(late))) == set(changes[cut:])


async def test_the_stream_is_written_as_server_sent_events() -> None:
    house = hub()
    with house.subscribe(None) as subscription:
        lines = stream_messages(house, subscription, PATIENT)
        assert (await anext(lines)).startswith("retry: ")
        house.publish_change(7)
        assert await anext(lines) == 'id: life-1\nevent: match\ndata: {"id": 7}\n\n'
        house.publish_reload()
        assert await anext(lines) == "id: life-2\nevent: reload\ndata: {}\n\n"
        house.close()
        with pytest.raises(StopAsyncIteration):
            await anext(lines)
    assert house.client_count == 0


async def test_a_quiet_stream_shows_that_it_is_alive() -> None:
    house = hub()
    with house.subscribe(None) as subscription:
        lines = stream_messages(house, subscription, AT_ONCE)
        await anext(lines)
        assert (await anext(lines)).startswith(":")
        await lines.aclose()


def test_a_message_is_one_block() -> None:
    assert format_message(LiveMessage(3, 5), "life-3").count("\n\n") == 1
