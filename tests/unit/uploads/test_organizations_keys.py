"""Keys: only a digest is stored, and it proves the right key and no other."""

from dataclasses import asdict

import pytest

from found_footy.platform.http.issued_keys import compute_digest, generate_key, is_right_key, parse_key_id


def test_a_key_is_recognized_by_what_is_stored_of_it_and_no_other_is() -> None:
    (key, record), (other, other_record) = generate_key(), generate_key()
    assert parse_key_id(key) == record.key_id
    assert is_right_key(key, record)
    assert not is_right_key(other, record)
    assert not is_right_key(key, other_record)
    assert not is_right_key(key[:-1], record)


def test_nothing_stored_contains_the_secret_or_makes_equal_keys_visible() -> None:
    key, record = generate_key()
    secret = key.split("_", 2)[2]
    assert all(secret not in value for value in asdict(record).values())
    assert compute_digest(key, record.salt) != compute_digest(key, "00" * 16)


@pytest.mark.parametrize("text", ["", "ffk_", "ffk_00_00", "xyz", "ffk_" + "g" * 12 + "_" + "a" * 43, "ffk_\n"])
def test_a_text_that_is_no_key_has_no_id(text: str) -> None:
    assert parse_key_id(text) is None
