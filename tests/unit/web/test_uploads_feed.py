"""A page is told of every change of its organization after the list that it shows, and of no other's."""

from datetime import timedelta

import pytest

from found_footy.web.hub import SubscriberLimitReached
from found_footy.web.uploads.feed import UploadFeed

AT_ONCE = timedelta(milliseconds=1)


def new_feed(**limits: int) -> UploadFeed:
    return UploadFeed("life", **({"max_clients": 9, "max_clients_per_organization": 9} | limits))


async def test_a_change_between_the_list_and_the_stream_is_told() -> None:
    feed = new_feed()
    shown = feed.format_cursor("acme")
    feed.publish_change("rival")
    with feed.subscribe("acme", shown) as stream:
        assert not await stream.wait(AT_ONCE)
    feed.publish_change("acme")
    with feed.subscribe("acme", shown) as stream:
        assert await stream.wait(AT_ONCE)
        assert not await stream.wait(AT_ONCE)
        feed.publish_change("acme")
        feed.publish_change("acme")
        assert await stream.wait(AT_ONCE)
        assert not await stream.wait(AT_ONCE)


async def test_a_cursor_of_another_run_or_none_is_told_to_load_again() -> None:
    feed = new_feed()
    for since in (None, "", "other-0", "life-7"):
        with feed.subscribe("acme", since) as stream:
            assert await stream.wait(AT_ONCE)


async def test_a_reload_reaches_everybody_and_a_closed_feed_ends() -> None:
    feed = new_feed()
    with (
        feed.subscribe("acme", feed.format_cursor("acme")) as one,
        feed.subscribe("rival", feed.format_cursor("rival")) as other,
    ):
        feed.publish_reload()
        assert await one.wait(AT_ONCE)
        assert await other.wait(AT_ONCE)
        feed.close()
        assert not await one.wait(AT_ONCE)
        assert one.closed


async def test_one_organization_does_not_take_all_streams() -> None:
    feed = new_feed(max_clients=2, max_clients_per_organization=1)
    with feed.subscribe("acme", None):
        with pytest.raises(SubscriberLimitReached) as own, feed.subscribe("acme", None):
            pass
        with (
            feed.subscribe("rival", None),
            pytest.raises(SubscriberLimitReached) as total,
            feed.subscribe("third", None),
        ):
            pass
    assert (own.value.is_per_peer, total.value.is_per_peer) == (True, False)
    with feed.subscribe("acme", None):
        pass
