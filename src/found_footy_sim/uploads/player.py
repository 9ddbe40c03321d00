"""Plays the plan of an afternoon: several names at once, the actions of one name in order."""

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from random import Random

from found_footy.platform.clock import utc_now
from found_footy_sim.demo.concurrency import gather_or_cancel
from found_footy_sim.demo.polling import wait_until_answered
from found_footy_sim.uploads.afternoon import Action, ActionKind, Afternoon, Story, UploadFile
from found_footy_sim.uploads.client import OrganizationClient, UploadApiAnswer
from found_footy_sim.uploads.expectations import compute_etag
from found_footy_sim.uploads.store_notifications import StoreDialect, StoredObject, write_notification

_STORIES_AT_ONCE = 6
# A row that does not settle is not waited for any longer: the scorecard tells about it.
_SETTLE_TIMEOUT_SECONDS = 180.0
_SETTLED_STATUSES = ("classified", "failed")


@dataclass
class PlayedName:
    """What was done with one name: when each version was sent last, what the API answered to a refused upload."""

    sent_at: dict[str, datetime] = field(default_factory=dict)
    refusal: UploadApiAnswer | None = None
    current: StoredObject | None = None
    versions: dict[UploadFile, StoredObject] = field(default_factory=dict)


@dataclass
class AfternoonPlayer:
    """`notifications` keeps every notification that was sent, so that all can come once more."""

    plan: Afternoon
    client: OrganizationClient
    bucket: str
    max_bytes: int
    names: dict[str, PlayedName] = field(default_factory=dict)
    notifications: list[bytes] = field(default_factory=list)
    finished: int = 0
    _sequence: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    async def play(self) -> None:
        places = asyncio.Semaphore(_STORIES_AT_ONCE)

        async def play_one(story: Story) -> None:
            async with places:
                await self._play_story(story)
                self.finished += 1

        stories = [play_one(story) for story in self.plan.stories]
        await gather_or_cancel([*stories, *(self.client.notify(body) for body in self.plan.malformed)])

    async def repeat_notifications(self) -> None:
        """Send every notification of the afternoon once more, in another order: none of them is news."""
        again = list(self.notifications)
        Random(self.plan.seed).shuffle(again)
        for body in again:
            await self.client.notify(body)

    async def _play_story(self, story: Story) -> None:
        played = self.names.setdefault(story.name, PlayedName())
        for action in story.actions:
            await self._play_action(story.name, played, action)

    async def _play_action(self, name: str, played: PlayedName, action: Action) -> None:
        if action.kind is ActionKind.SETTLE:
            await self._settle(name, played.current)
        elif action.kind in (ActionKind.TELL_CREATED, ActionKind.TELL_REMOVED):
            await self._tell(played, action)
        elif action.file is None:
            await self._delete(name, played, action.kind)
        else:
            await self._store(name, played, action.kind, action.file)

    async def _store(self, name: str, played: PlayedName, kind: ActionKind, file: UploadFile) -> None:
        data = file.build(self.max_bytes)
        etag, sent_at = compute_etag(data), utc_now()
        if kind is ActionKind.PUT:
            await self.client.put_to_store(name, data)
        else:
            send = self.client.upload if kind is ActionKind.UPLOAD else self.client.upload_presigned
            answer = await send(name, data)
            if answer.status not in (HTTPStatus.OK, HTTPStatus.CREATED):
                played.refusal = answer
                return
        key = f"{self.client.organization_id}/{name}"
        played.sent_at[etag] = sent_at
        played.current = StoredObject(self.bucket, key, etag, len(data), utc_now(), next(self._sequence))
        played.versions[file] = played.current

    async def _delete(self, name: str, played: PlayedName, kind: ActionKind) -> None:
        if kind is ActionKind.REMOVE:
            await self.client.remove_from_store(name)
        else:
            answer = await self.client.delete(name)
            # After a lost answer, the repeated request finds nothing.
            if answer.status not in (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_FOUND):
                played.refusal = answer
        played.current = None

    async def _tell(self, played: PlayedName, action: Action) -> None:
        """Every other notification has the form of another store."""
        file = action.file or next(reversed(played.versions))
        stored, is_removal = played.versions[file], action.kind is ActionKind.TELL_REMOVED
        if is_removal:
            stored = StoredObject(stored.bucket, stored.key, "", 0, utc_now(), next(self._sequence))
        dialect = list(StoreDialect)[stored.sequence % len(StoreDialect)]
        body = write_notification(dialect, stored, is_removal=is_removal)
        self.notifications.append(body)
        await asyncio.gather(*(self.client.notify(body) for _ in range(action.times)))

    async def _settle(self, name: str, current: StoredObject | None) -> None:
        async def is_settled() -> bool:
            return _is_settled(await self.client.get(name), current)

        await wait_until_answered(is_settled, _SETTLE_TIMEOUT_SECONDS)


def _is_settled(answer: UploadApiAnswer, current: StoredObject | None) -> bool:
    if current is None:
        return answer.status in (HTTPStatus.GONE, HTTPStatus.NOT_FOUND)
    shown = answer.body if answer.status == HTTPStatus.OK else {}
    return shown.get("etag") == current.etag and shown.get("status") in _SETTLED_STATUSES
