"""Which reservations count, and what fits. A name counts once, however many reservations and rows it has."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.uploads.organizations.quotas import (
    Quota,
    QuotaUse,
    Reservation,
    StoredUse,
    VersionSize,
    compute_use,
    find_quota_refusal,
    format_size,
    list_expired,
    settle_reservations,
)

NOW = datetime(2026, 11, 17, 12, 0, tzinfo=UTC)
RENEWAL = timedelta(minutes=10)
A, B = VersionSize(100, "a"), VersionSize(200, "b")


def reservation(*, expired: bool = False, etag: str | None = None, size: int = 100) -> Reservation:
    return Reservation("1", "x.png", size, NOW - RENEWAL if expired else NOW + RENEWAL, etag)


CASES: list[tuple[str, Reservation, VersionSize | None, dict[str, VersionSize | None], int | None]] = [
    ("open", reservation(), None, {}, 100),
    ("open, over an older row", reservation(), B, {}, 100),
    ("stored, and the row has it", reservation(etag="a"), A, {}, None),
    ("stored, and the row has an older one", reservation(etag="a"), B, {}, 100),
    ("stored, and there is no row yet", reservation(etag="a"), None, {}, 100),
    ("open, and the store was asked for another of its name", reservation(), None, {"x.png": None}, 100),
    ("expired, never used", reservation(expired=True), None, {"x.png": None}, None),
    ("expired, used, and the row has it", reservation(expired=True), A, {"x.png": A}, None),
    ("expired, used with another size, and the row is late", reservation(expired=True), None, {"x.png": B}, 200),
    ("expired, and the row has an older one", reservation(expired=True), A, {"x.png": B}, 200),
    ("expired, and the store was not asked", reservation(expired=True), None, {}, 100),
]


@pytest.mark.parametrize(("_what", "one", "row", "answers", "size"), CASES, ids=[case[0] for case in CASES])
def test_a_reservation_counts_until_a_row_has_its_object(
    _what: str,
    one: Reservation,
    row: VersionSize | None,
    answers: dict[str, VersionSize | None],
    size: int | None,
) -> None:
    kept = settle_reservations([one], {"x.png": row} if row else {}, answers, NOW, RENEWAL)
    assert [left.size for left in kept] == ([] if size is None else [size])
    assert all(left.expires_at > NOW or not answers for left in kept)


def test_a_reservation_expires_at_its_very_time() -> None:
    ended, left = (replace(reservation(), expires_at=NOW + timedelta(seconds=more)) for more in (0, 1))
    assert list_expired([ended, left], NOW) == [ended]
    assert settle_reservations([ended, left], {}, {"x.png": None}, NOW, RENEWAL) == [left]


names = st.sampled_from("abc")
sizes = st.integers(0, 1000)


@given(st.dictionaries(names, sizes), st.lists(st.tuples(names, sizes)), st.integers(0, 5000), st.integers(0, 9))
def test_the_use_is_at_least_what_any_order_of_arrival_can_store(
    rows: dict[str, int], reserved: list[tuple[str, int]], others: int, count: int
) -> None:
    stored = StoredUse(others, count, {name: VersionSize(size, "e") for name, size in rows.items()})
    open_ones = [Reservation(str(n), name, size, NOW) for n, (name, size) in enumerate(reserved)]
    use = compute_use(stored, open_ones)
    worst = {**rows}
    for name, size in reserved:
        worst[name] = max(size, worst.get(name, 0))
    assert use == QuotaUse(others + sum(worst.values()), count + len(worst))


def test_what_adds_nothing_fits_also_above_a_lowered_quota() -> None:
    quota, full = Quota(100, 1), QuotaUse(500, 3)
    assert find_quota_refusal(full, full, quota) is None
    assert find_quota_refusal(full, QuotaUse(501, 3), quota) is not None
    assert find_quota_refusal(QuotaUse(10, 1), QuotaUse(20, 2), quota) is not None
    assert find_quota_refusal(QuotaUse(10, 0), QuotaUse(100, 1), quota) is None


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1500, "1.5 kB"), (25_000_000, "25 MB")]
)
def test_sizes_are_written_for_people(size: int, text: str) -> None:
    assert format_size(size) == text
