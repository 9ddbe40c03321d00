"""Keys, names and ids of organization uploads."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.domain.uploads import (
    MAX_NAME_BYTES,
    PREPARED_PREFIX,
    PREVIEW_PREFIX,
    classification_workflow_id,
    compute_event_id,
    find_name_fault,
    is_organization_id,
    object_key,
    prepared_image_key,
    split_object_key,
    upload_preview_key,
)


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("", "empty"),
        ("a/b.jpg", "slash"),
        ("/", "slash"),
        ("a\\b.jpg", "backslash"),
        ("\\a", "backslash"),
        ("a\\", "backslash"),
        (".", "dots"),
        ("..", "dots"),
        ("....", "dots"),
        ("a\x00b", "control"),
        ("a\nb", "control"),
        ("a\x7fb", "control"),
        ("a\u2028b", "control"),
        ("a\ud800", "control"),
        ("a" * 256, "255"),
        ("ä" * 128, "255"),
    ],
)
def test_a_name_that_cannot_be_stored_is_refused_with_a_sentence(name: str, word: str) -> None:
    fault = find_name_fault(name)
    assert fault is not None
    assert word in fault
    assert fault.endswith(".")


@pytest.mark.parametrize("name", ["a", ".hidden", "hero.jpg", "a b+c%2F.png", "ä" * 127, "a" * 255, "图.webp", "..a"])
def test_other_names_are_accepted(name: str) -> None:
    assert find_name_fault(name) is None


@pytest.mark.parametrize("text", ["", "a", "-a", "A1", "a_b", "a" * 64, "a.b", ".previews", "ab\n", "ä1"])
def test_what_is_not_an_organization_id(text: str) -> None:
    assert not is_organization_id(text)


@pytest.mark.parametrize("text", ["ab", "a1-", "0rg", "a" * 63])
def test_what_is_an_organization_id(text: str) -> None:
    assert is_organization_id(text)


NAMES = st.text(min_size=1, max_size=MAX_NAME_BYTES).filter(lambda name: find_name_fault(name) is None)


@given(st.from_regex(r"[a-z0-9][a-z0-9-]{1,62}", fullmatch=True), NAMES)
def test_a_key_is_split_into_what_it_was_made_of(organization_id: str, name: str) -> None:
    assert split_object_key(object_key(organization_id, name)) == (organization_id, name)


@pytest.mark.parametrize(
    "key",
    [
        "",
        "hero.jpg",
        "acme/",
        "acme/a/b",
        "Acme/a",
        "/a",
        "acme/..",
        upload_preview_key("0" * 64),
        prepared_image_key("0"),
    ],
)
def test_a_key_of_something_else_is_no_upload(key: str) -> None:
    assert split_object_key(key) is None


def test_the_id_of_a_version_is_the_hash_of_key_and_unquoted_etag() -> None:
    expected = hashlib.sha256(b"acme/hero.jpg:9b2cf535f27731c974343645a3985328").hexdigest()
    assert compute_event_id("acme/hero.jpg", '"9b2cf535f27731c974343645a3985328"') == expected
    assert compute_event_id("acme/hero.jpg", "9b2cf535f27731c974343645a3985328") == expected
    assert classification_workflow_id(expected) == f"imgcls_{expected}"


@pytest.mark.parametrize("prefix", [PREVIEW_PREFIX, PREPARED_PREFIX])
def test_no_organization_can_write_below_the_prefixes_of_our_own_files(prefix: str) -> None:
    assert not is_organization_id(prefix.split("/", maxsplit=1)[0])
