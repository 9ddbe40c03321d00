"""What browsers are told, when they come late, slowly or in numbers."""

import asyncio
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.web.hub import Hub, Message, NoPlace, Subscription
from found_footy.web.live import retry_ms, stream, written

AT_ONCE = timedelta(milliseconds=1)
PATIENT = timedelta(seconds=10)


def hub(**limits: int) -> Hub:
    return Hub("life", **({"capacity": 10} | limits))


async def told(subscription: Subscription) -> list[int | None]:
    return [message.fixture_id for message in await subscription.take(AT_ONCE)]


async def test_every_browser_hears_of_a_change() -> None:
    house = hub()
    with house.subscribed(None) as one, house.subscribed(None) as other:
        house.changed(7)
        assert await told(one) == await told(other) == [7]


async def test_a_browser_that_was_away_gets_what_it_missed() -> None:
    house = hub()
    house.changed(1)
    cursor = house.cursor
    house.changed(2)
    house.changed(3)
    with house.subscribed(cursor) as late:
        assert await told(late) == [2, 3]


async def test_a_browser_that_missed_nothing_is_told_nothing() -> None:
    house = hub()
    house.changed(1)
    with house.subscribed(house.cursor) as late:
        assert await told(late) == []


@pytest.mark.parametrize("since", ["other-1", "life-99", "life--1", "life-x", "", "-", "life-" + "9" * 500, "life-²"])
async def test_a_place_that_is_not_known_here_means_reload(since: str) -> None:
    house = hub()
    house.changed(1)
    with house.subscribed(since) as late:
        assert await told(late) == [None]


async def test_more_than_the_memory_holds_means_reload() -> None:
    house = hub(history=2)
    cursor = house.cursor
    for fixture in (1, 2, 3):
        house.changed(fixture)
    with house.subscribed(cursor) as late:
        assert await told(late) == [None]


async def test_many_changes_of_a_match_are_one_message_for_a_slow_browser() -> None:
    house = hub()
    with house.subscribed(None) as slow:
        for _ in range(1000):
            house.changed(1)
            house.changed(2)
        assert await told(slow) == [1, 2]


async def test_too_many_changed_matches_become_one_reload() -> None:
    house = hub(pending=5)
    with house.subscribed(None) as slow:
        for fixture in range(20):
            house.changed(fixture)
        assert await told(slow) == [None]


async def test_a_full_house_says_so_and_a_browser_that_leaves_makes_room() -> None:
    house = hub(capacity=1)
    with house.subscribed(None), pytest.raises(NoPlace), house.subscribed(None):
        pass
    with house.subscribed(None):
        assert house.clients == 1


async def test_a_peer_has_its_share_and_who_is_not_named_none() -> None:
    house = hub(capacity=10, per_peer=1)
    with house.subscribed(None, "one"), house.subscribed(None, "other"):
        with pytest.raises(NoPlace) as full, house.subscribed(None, "one"):
            pass
        assert full.value.of_peer
        with house.subscribed(None), house.subscribed(None):
            assert house.clients == 4
    with house.subscribed(None, "one"):
        assert house.clients == 1


def test_browsers_that_lost_their_stream_together_come_back_one_by_one() -> None:
    pauses = {retry_ms() // 500 for _ in range(1000)}
    assert pauses == set(range(4, 12))


@given(st.lists(st.integers(1, 5), max_size=40), st.data())
def test_a_reconnect_at_any_point_loses_no_match(changes: list[int], data: st.DataObject) -> None:
    """Wherever a browser was cut off, what it saw before and what it gets after name every later change."""
    house = hub(history=100)
    cut = data.draw(st.integers(0, len(changes)))
    for fixture in changes[:cut]:
        house.changed(fixture)
    cursor = house.cursor
    for fixture in changes[cut:]:
        house.changed(fixture)
    with house.subscribed(cursor) as late:
        assert set(asyncio.run(told(late))) == set(changes[cut:])


async def test_the_stream_is_written_as_server_sent_events() -> None:
    house = hub()
    with house.subscribed(None) as subscription:
        lines = stream(house, subscription, PATIENT)
        assert (await anext(lines)).startswith("retry: ")
        house.changed(7)
        assert await anext(lines) == 'id: life-1\nevent: match\ndata: {"id": 7}\n\n'
        house.reload()
        assert await anext(lines) == "id: life-2\nevent: reload\ndata: {}\n\n"
        house.close()
        with pytest.raises(StopAsyncIteration):
            await anext(lines)
    assert house.clients == 0


async def test_a_quiet_stream_shows_that_it_is_alive() -> None:
    house = hub()
    with house.subscribed(None) as subscription:
        lines = stream(house, subscription, AT_ONCE)
        await anext(lines)
        assert (await anext(lines)).startswith(":")
        await lines.aclose()


def test_a_message_is_one_block() -> None:
    assert written(Message(3, 5), "life-3").count("\n\n") == 1
