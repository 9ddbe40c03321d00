"""Rows as the page and the API show them, whatever a row holds."""

from datetime import UTC, datetime
from typing import Any

import pytest

from found_footy.domain.uploads import HistoryKind
from found_footy.views.uploads import build_upload_view, select_served_type

NOW = datetime(2026, 11, 17, 12, 0, tzinfo=UTC)
ROW: dict[str, Any] = {
    "organizationId": "acme",
    "name": "a b/ü?.png",
    "status": "classified",
    "eventId": "0123456789abcdef",
    "etag": "e",
    "classifications": [{"label": str(number), "score": 1.5 - number} for number in range(9)],
    "contentType": "image/png",
    "width": 8,
    "previewKey": ".previews/0123.jpg",
    "createdAt": NOW,
    "updatedAt": NOW,
    "history": [{"at": NOW, "what": "superseded", "eventId": "0" * 64, "supersededBy": "f" * 64}],
}


def test_a_row_becomes_a_view_with_addresses_that_can_be_followed() -> None:
    view = build_upload_view(ROW)
    assert view.url == "/api/v1/organizations/acme/uploads/a%20b%2F%C3%BC%3F.png"
    assert view.preview_url == f"{view.url}/preview?v=01234567"
    assert [one.percent for one in view.labels] == [100, 50, 0, 0, 0]
    assert (view.history[0].superseded_by, view.history[0].text) == ("f" * 8, "Replaced by a newer version")


def test_a_bare_row_has_a_view_too() -> None:
    view = build_upload_view({"organizationId": "acme", "name": "x", "status": "queued"})
    assert (view.label, view.labels, view.preview_url, view.content_type) == ("", (), None, "")


def test_everything_that_can_happen_has_words() -> None:
    for kind in HistoryKind:
        row = ROW | {"history": [{"at": NOW, "what": kind.value, "eventId": "0" * 64}]}
        assert build_upload_view(row).history[0].text not in ("", kind.value.capitalize()) or kind in (
            HistoryKind.STORED,
            HistoryKind.CLASSIFIED,
            HistoryKind.DELETED,
        )


@pytest.mark.parametrize(
    ("changes", "etag", "served"),
    [
        ({}, "e", "image/png"),
        ({}, "another", None),
        ({"contentType": "image/svg+xml"}, "e", None),
        ({"contentType": "text/html"}, "e", None),
        ({"width": None}, "e", None),
    ],
)
def test_only_a_picture_that_was_decoded_is_shown_in_place(
    changes: dict[str, Any], etag: str, served: str | None
) -> None:
    assert select_served_type(ROW | changes, etag) == served
