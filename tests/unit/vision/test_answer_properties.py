"""What holds for anything that a model may write."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from found_footy.platform.errors import Malformed
from found_footy.vision.llm.answers import parse_answers
from found_footy.vision.llm.prompt import ANSWER_FIELDS

values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=8,
)
frames = st.dictionaries(
    st.sampled_from(["frame_1", "frame_2", "frame_3", "x"]),
    st.one_of(values, st.dictionaries(st.sampled_from(sorted(ANSWER_FIELDS)), values)),
)


def check(text: str) -> None:
    """Answered or malformed; and a no is only ever read where a no was written."""
    try:
        answers = parse_answers("model", text, [1.0, 2.0])
    except Malformed:
        return
    assert len(answers) == 2
    for answer in answers:
        assert (answer.soccer is None) == (answer.screen is None)
        if answer.soccer is False or answer.screen is False:
            assert any(word in text.lower() for word in ("false", "no", "0"))


@given(st.text(max_size=300))
def test_any_text_is_answered_or_malformed(text: str) -> None:
    check(text)


@given(frames, st.text(max_size=30), st.text(max_size=30))
def test_any_json_in_any_prose_is_answered_or_malformed(said: dict[str, Any], before: str, after: str) -> None:
    check(before + json.dumps(said) + after)


@given(st.text(alphabet='{}[]",:truefalsnCLOCKSE_1 ', max_size=200))
def test_anything_like_json_is_answered_or_malformed(text: str) -> None:
    check(text)
