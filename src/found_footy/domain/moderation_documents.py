"""The documents of clips that are gone, blocked or moderated. `documents.py` says how they are used."""

from datetime import datetime
from typing import Any, Required, TypedDict

from found_footy.domain.documents import BlockDocument


class RedirectDocument(TypedDict):
    """A clip that was merged into another, in `clip_redirects`."""

    _id: str
    to: str


class GoneClipDocument(TypedDict, total=False):
    """A clip of a deleted fixture, in `gone_clips`; one without `gone_at` does not expire."""

    _id: Required[str]
    fixture_id: int
    why: Required[str]
    gone_at: datetime


class BlocklistDocument(BlockDocument, total=False):
    """A file that was taken down, in `blocklist`, by its MD5."""

    _id: Required[str]
    reason: str
    by: str


class AuditDocument(TypedDict, total=False):
    """A moderation action, in `audit`."""

    _id: Required[str]
    at: Required[datetime]
    by: Required[str]
    what: Required[str]
    clips: Required[list[str]]
    state: Required[str]
    fixture_id: int | None
    event_id: str
    reason: str
    before: dict[str, Any]
    done_at: datetime
    told: dict[str, Any]
