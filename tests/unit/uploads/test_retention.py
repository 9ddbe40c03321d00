"""How long what is no longer shown is stored."""

from datetime import timedelta

from found_footy.app import INDEXES
from found_footy.uploads.intake.dead_letter_store import DEAD_LETTERS
from found_footy.uploads.store import UPLOADS


def test_rows_of_deleted_images_and_dead_letters_are_deleted_in_the_end() -> None:
    """The database does it. A row of a stored image has no time of deletion, so it stays."""
    kept = {(one.collection, *one.keys): one.expire_after for one in INDEXES if one.expire_after is not None}
    assert kept[UPLOADS, ("deletedAt", 1)] == timedelta(days=90)
    assert kept[DEAD_LETTERS, ("at", 1)] == timedelta(days=30)
    assert [field for collection, (field, _) in kept if collection == UPLOADS] == ["deletedAt"]
