"""Quotas: whether an upload fits into what an organization may store. Pure.

An organization's use is the sizes of its stored objects, as its rows have them, and of its reservations. Every upload
is reserved before its first byte is stored, and the reservation stands until the row has the object: rows come late,
and a presigned address is used at any time until it expires. A name counts once, with the largest of its sizes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta


@dataclass(frozen=True)
class Quota:
    max_bytes: int
    max_objects: int


@dataclass(frozen=True)
class Reservation:
    """`etag` is known once the object is stored."""

    reservation_id: str
    name: str
    size: int
    expires_at: datetime
    etag: str | None = None


@dataclass(frozen=True)
class VersionSize:
    """A version of an object: as its row has it, or as the store answers now."""

    size: int
    etag: str


@dataclass(frozen=True)
class StoredUse:
    """`size` and `objects` count the rows of all names but those asked for, which are in `versions`."""

    size: int
    objects: int
    versions: Mapping[str, VersionSize]


@dataclass(frozen=True)
class QuotaUse:
    size: int
    objects: int


@dataclass(frozen=True)
class QuotaRefusal:
    """Why an upload is refused, in a sentence for people. `is_temporary`: waiting helps, without deleting anything."""

    reason: str
    is_temporary: bool = False


def list_expired(reservations: Iterable[Reservation], now: datetime) -> list[Reservation]:
    return [one for one in reservations if one.expires_at <= now]


def settle_reservations(
    reservations: Iterable[Reservation],
    rows: Mapping[str, VersionSize],
    objects: Mapping[str, VersionSize | None],
    now: datetime,
    renewal: timedelta,
) -> list[Reservation]:
    """Return the reservations that still count. `objects` has what the store answers about the names of those that
    expired: an object whose row is late stays reserved with its own size.
    """
    return [kept for one in reservations if (kept := _settle(one, rows.get(one.name), objects, now, renewal))]


def _settle(
    one: Reservation,
    row: VersionSize | None,
    objects: Mapping[str, VersionSize | None],
    now: datetime,
    renewal: timedelta,
) -> Reservation | None:
    if one.etag is not None and row is not None and row.etag == one.etag:
        return None
    if one.expires_at > now or one.name not in objects:
        return one
    stored = objects[one.name]
    if stored is None or (row is not None and row.etag == stored.etag):
        return None
    return replace(one, size=stored.size, etag=stored.etag, expires_at=now + renewal)


def compute_use(stored: StoredUse, reservations: Iterable[Reservation]) -> QuotaUse:
    """`stored.versions` must have the rows of every reserved name."""
    sizes = {name: version.size for name, version in stored.versions.items()}
    for one in reservations:
        sizes[one.name] = max(one.size, sizes.get(one.name, 0))
    return QuotaUse(stored.size + sum(sizes.values()), stored.objects + len(sizes))


def find_quota_refusal(before: QuotaUse, after: QuotaUse, quota: Quota) -> QuotaRefusal | None:
    """An upload that does not add to the use fits always, also where the quota has been lowered since."""
    if after.size > quota.max_bytes and after.size > before.size:
        used, most = format_size(before.size), format_size(quota.max_bytes)
        return QuotaRefusal(f"The organization's quota of {most} does not have room: {used} are stored or reserved.")
    if after.objects > quota.max_objects and after.objects > before.objects:
        return QuotaRefusal(
            f"The organization's quota of {quota.max_objects} images is used up; stored ones can be replaced."
        )
    return None


def format_size(size: int) -> str:
    """Return a size in decimal units, for people."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}".replace(".0 ", " ")
    return f"{size} B"
