"""The change stream may break in every way; browsers still learn of everything."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, cast

import pytest

from found_footy.platform.errors import Unavailable
from found_footy.views.store import ChangeHistoryLost, FixtureChange, ReadStore
from found_footy.web import change_follower
from found_footy.web.change_follower import ChangeStreamFollower
from found_footy.web.hub import LiveHub
from tests.support.patience import PATIENCE_SECONDS

Script = list[FixtureChange | Exception]


class Streams:
    """Plays one script per opening, then stays silent; remembers from which token each was opened."""

    def __init__(self, *scripts: Script) -> None:
        self._scripts = list(scripts)
        self.opened_after: list[object] = []
        self.over = asyncio.Event()

    @asynccontextmanager
    async def watch_changes(self, after: Mapping[str, Any] | None) -> AsyncIterator[AsyncIterator[FixtureChange]]:
        self.opened_after.append(after)
        yield self._play()

    async def _play(self) -> AsyncIterator[FixtureChange]:
        if not self._scripts:
            self.over.set()
            await asyncio.Event().wait()
        for step in self._scripts.pop(0):
            if isinstance(step, Exception):
                raise step
            yield step


def token(number: int) -> Mapping[str, int]:
    return {"n": number}


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_follower, "_INITIAL_RETRY_DELAY", 0 * change_follower._INITIAL_RETRY_DELAY)


async def reported(*scripts: Script) -> tuple[list[int | None], Streams, LiveHub]:
    """What a browser that was there from the beginning hears."""
    hub = LiveHub("life", max_clients=1, history_size=100)
    streams = Streams(*scripts)
    task = asyncio.create_task(ChangeStreamFollower(cast(ReadStore, streams), hub).run())
    async with asyncio.timeout(PATIENCE_SECONDS):
        await streams.over.wait()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    return [message.fixture_id for message in hub._history], streams, hub


async def test_a_first_stream_begins_with_a_reload_because_the_past_is_unknown() -> None:
    heard, streams, _ = await reported([FixtureChange(token(0)), FixtureChange(token(1), 7)])
    assert heard[:2] == [None, 7]
    assert streams.opened_after[0] is None


async def test_a_stream_that_broke_resumes_where_it_stood() -> None:
    broken: Script = [FixtureChange(token(0)), FixtureChange(token(1), 7), Unavailable("MongoDB", "gone")]
    heard, streams, _ = await reported(broken, [FixtureChange(token(2), 8), Unavailable("MongoDB", "again")])
    assert heard == [None, 7, 8]
    assert streams.opened_after == [None, token(1), token(2)]


async def test_a_token_that_is_too_old_means_reload() -> None:
    broken: Script = [FixtureChange(token(0)), Unavailable("MongoDB", "gone")]
    heard, streams, _ = await reported(
        broken, [ChangeHistoryLost("too old")], [FixtureChange(token(9)), Unavailable("MongoDB", "x")]
    )
    assert heard == [None, None]
    assert streams.opened_after == [None, token(0), None, token(9)]


async def test_a_stream_that_ends_by_itself_begins_anew() -> None:
    heard, streams, _ = await reported([FixtureChange(token(0)), FixtureChange(token(1), 7)], [FixtureChange(token(2))])
    assert heard[:3] == [None, 7, None]
    assert streams.opened_after == [None, None, None]


@pytest.mark.parametrize("error", [Unavailable("MongoDB", "gone"), ChangeHistoryLost("x")])
async def test_while_it_is_lost_the_hub_says_so(error: Exception) -> None:
    _, _, hub = await reported([FixtureChange(token(0)), error])
    assert not hub.is_following
