"""Reading what a model wrote."""

import json

import pytest

from found_footy.platform.errors import Malformed
from found_footy.vision.llm.answers import parse_answers
from found_footy.vision.verdict import FrameReading

FIELDS = {"SOCCER": True, "SCREEN": False, "CLOCK": "34:12", "ADDED": None, "STOPPAGE_CLOCK": None}
TIMES = [2.5, 7.5]


def read(text: str, times: list[float] | None = None) -> list[FrameReading]:
    return parse_answers("model", text, TIMES if times is None else times)


def both(first: object, second: object) -> str:
    return json.dumps({"frame_1": first, "frame_2": second})


def test_each_frame_gets_its_own_answer() -> None:
    first, second = read(both(FIELDS, {**FIELDS, "SOCCER": False, "CLOCK": None}))
    assert first == FrameReading(2.5, True, False, "34:12")
    assert second == FrameReading(7.5, False, False, None)


def test_the_fields_of_a_single_frame_may_stand_alone() -> None:
    assert read(json.dumps(FIELDS), [5.0]) == [FrameReading(5.0, True, False, "34:12")]


@pytest.mark.parametrize("nothing", ["null", "None", "N/A", "", "  ", "-", "not visible"])
def test_words_for_none_are_none(nothing: str) -> None:
    assert read(both({**FIELDS, "CLOCK": nothing}, FIELDS))[0].clock is None


@pytest.mark.parametrize(("said", "meant"), [("yes", True), ("TRUE", True), (1, True), ("no", False), (0, False)])
def test_words_for_yes_and_no_are_understood(said: object, meant: bool) -> None:
    assert read(both({**FIELDS, "SOCCER": said}, FIELDS))[0].soccer is meant


@pytest.mark.parametrize(
    "fields",
    [
        {key: value for key, value in FIELDS.items() if key != "SOCCER"},
        {key: value for key, value in FIELDS.items() if key != "CLOCK"},
        {**FIELDS, "SOCCER": "perhaps"},
        {**FIELDS, "SOCCER": None},
        {**FIELDS, "SCREEN": 0.5},
        {**FIELDS, "CLOCK": 34},
        {**FIELDS, "ADDED": ["+4"]},
        "yes",
        None,
        [FIELDS],
    ],
)
def test_a_frame_without_a_whole_answer_is_unknown(fields: object) -> None:
    first, second = read(both(fields, FIELDS))
    assert not first.is_readable
    assert second.is_readable


def test_a_frame_that_is_left_out_is_unknown() -> None:
    first, second = read(json.dumps({"frame_1": FIELDS}))
    assert first.is_readable
    assert not second.is_readable


@pytest.mark.parametrize(
    "text",
    [
        "yes, this is football",
        "[]",
        "{}",
        '{"frame_3": {}}',
        '{"frame_1": {',
        "{" * 1000,
        '{"frame_1": {"SOCCER": true, "soccer": false}}',
        both(FIELDS, FIELDS) + both(FIELDS, {**FIELDS, "SOCCER": False}),
        "x" * 30_000 + both(FIELDS, FIELDS),
    ],
)
def test_what_is_no_answer_is_malformed(text: str) -> None:
    with pytest.raises(Malformed):
        read(text)


def test_the_same_answer_twice_is_one_answer() -> None:
    assert read(both(FIELDS, FIELDS) * 2)[0].soccer is True


def test_texts_are_bounded_and_safe_to_store() -> None:
    text = both({**FIELDS, "CLOCK": "\ud800\x00" + "9" * 500}, FIELDS)
    clock = read(text)[0].clock
    assert clock is not None
    assert len(clock) <= 40
    assert clock.encode("utf-8").decode() == clock
    assert clock.isprintable()
