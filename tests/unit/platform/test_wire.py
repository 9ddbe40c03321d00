"""The parts of which the models of outside answers are made: strict where it counts, lenient where it does not."""

import re
from datetime import UTC, datetime
from typing import Annotated, Any

import pytest
from pydantic import Field, ValidationError

from found_footy.platform.wire import (
    HttpLink,
    IsoTime,
    Lenient,
    LenientItems,
    LenientObject,
    LenientPositionedItems,
    LenientText,
    LenientValues,
    ShownText,
    ValidItems,
    WireModel,
    accept_if,
    describe_validation_error,
    parse_or_empty,
    parse_or_none,
    take_first,
    truncate_to,
    use_default_if_invalid,
)


class Part(WireModel):
    count: Annotated[int, Field(gt=0), use_default_if_invalid(0)] = 0
    name: Annotated[str, accept_if(re.compile("[a-z]+").fullmatch), use_default_if_invalid("")] = ""


class Link(WireModel):
    url: HttpLink


class Whole(WireModel):
    text: Annotated[LenientText, truncate_to(5)] = ""
    shown: ShownText = ""
    at: Lenient[IsoTime] = None
    part: LenientObject[Part] = Part()
    links: Annotated[LenientItems[Link], take_first(3)] = ()
    parts: LenientPositionedItems[Part] = ()
    named: LenientValues[Link] = Field(default_factory=dict)


class Required(WireModel):
    token: str
    links: ValidItems[Link]


ANY_VALUES: list[Any] = [None, True, 0, 7, 1.5, float("nan"), "", "text", [], [7], {}, {"a": 1}]


@pytest.mark.parametrize("value", ANY_VALUES)
@pytest.mark.parametrize("name", Whole.model_fields)
def test_a_lenient_field_accepts_anything(name: str, value: Any) -> None:
    assert parse_or_none(Whole, {name: value, "unknown": value}) is not None


@pytest.mark.parametrize("value", [value for value in ANY_VALUES if not isinstance(value, dict)])
def test_a_value_that_is_not_an_object_is_parsed_as_none_or_empty(value: Any) -> None:
    assert parse_or_none(Whole, value) is None
    assert parse_or_empty(Whole, value) == Whole()


def test_types_are_strict() -> None:
    assert Part.model_validate({"count": "7", "name": 7}) == Part()
    assert Part.model_validate({"count": True, "name": "A"}) == Part()
    assert Part.model_validate({"count": 7, "name": "a"}).count == 7


def test_a_broken_item_costs_only_itself() -> None:
    good = {"url": "https://h/a"}
    whole = Whole.model_validate({"links": [good, 7, {}, good], "named": {"a": good, "b": {}}})
    assert [link.url for link in whole.links] == ["https://h/a"]
    assert list(whole.named) == ["a"]


def test_positioned_items_keep_their_positions() -> None:
    assert [part.count for part in Whole.model_validate({"parts": [{"count": 1}, 7, {"count": 3}]}).parts] == [1, 0, 3]


@pytest.mark.parametrize("links", [None, 7, "https://h/a", {"0": {"url": "https://h/a"}}])
def test_a_required_list_must_be_a_list(links: Any) -> None:
    assert parse_or_none(Required, {"token": "t", "links": links}) is None


@pytest.mark.parametrize(
    "url",
    ["", "file:///etc/passwd", "//h/a", "https://h/\x00", "https://h/\ud83d", "https://h/" + "x" * 2_000, 7, None],
)
def test_an_invalid_address_makes_its_object_invalid(url: Any) -> None:
    assert parse_or_none(Link, {"url": url}) is None


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("2026-11-15T15:41:07.000Z", datetime(2026, 11, 15, 15, 41, 7, tzinfo=UTC)),
        ("2026-11-15T16:41:07+01:00", datetime(2026, 11, 15, 15, 41, 7, tzinfo=UTC)),
        ("2026-11-15T15:41:07", None),
        ("yesterday", None),
        (1_763_221_267, None),
    ],
)
def test_a_time_without_a_zone_is_invalid(said: Any, meant: datetime | None) -> None:
    assert Whole.model_validate({"at": said}).at == meant


def test_texts_lose_surrogates_and_are_truncated() -> None:
    whole = Whole.model_validate({"text": "ab\ud83dcdefg", "shown": ["\udc00"]})
    assert (whole.text, whole.shown) == ("ab?cd", "['\\udc00']")


def test_an_error_names_the_field_and_not_the_input() -> None:
    with pytest.raises(ValidationError) as raised:
        Required.model_validate({"token": ["secret"], "links": []})
    assert "secret" not in str(raised.value)
    assert describe_validation_error(raised.value) == "token: Input should be a valid string"
