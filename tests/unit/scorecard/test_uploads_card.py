"""The figures of an organization's afternoon: every way to be wrong is counted."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from found_footy_sim.scorecard.card import Scorecard
from found_footy_sim.scorecard.costs import InjectedFault
from found_footy_sim.scorecard.html_report import render_html
from found_footy_sim.scorecard.json_report import render_json, render_uploads_json
from found_footy_sim.scorecard.targets import evaluate_targets
from found_footy_sim.scorecard.text_report import render_text
from found_footy_sim.scorecard.uploads_card import (
    AfternoonConditions,
    ApiRefusal,
    ObservedAfternoon,
    ObservedUpload,
    UploadsCard,
    build_uploads_card,
    is_readable,
)
from found_footy_sim.scorecard.uploads_html import render_uploads_html
from found_footy_sim.scorecard.uploads_targets import evaluate_uploads_targets
from found_footy_sim.scorecard.uploads_text import render_uploads_text
from found_footy_sim.uploads.expectations import ExpectedUpload
from tests.support.scorecard.match_days import card as score_day
from tests.support.scorecard.match_days import event, fixture, make_truth, true_goal

NOON = datetime(2026, 11, 17, 12, tzinfo=UTC)
DONE = NOON + timedelta(seconds=1)
CONDITIONS = AfternoonConditions(seed=1, organization_id="club", malformed=2)
REFUSAL = "The image may have at most 10 bytes."


def expected(name: str, etag: str | None, **more: Any) -> ExpectedUpload:
    usual: dict[str, Any] = {
        "story": "upload",
        "labels": frozenset({"maze"}) if etag else frozenset(),
        "needs_row": True,
        "is_told": True,
        "is_hostile": False,
        "is_refused_by_api": False,
        "stored_times": {etag: 1} if etag else {},
    }
    return ExpectedUpload(name=name, etag=etag, **(usual | more))


def row(name: str, etag: str, **more: Any) -> ObservedUpload:
    usual: dict[str, Any] = {"status": "classified", "label": "maze", "error": "", "is_deleted": False}
    return ObservedUpload(name=name, etag=etag, **(usual | {"completed_at": DONE} | more))


def workflow(name: str, etag: str) -> str:
    return "imgcls_" + hashlib.sha256(f"club/{name}:{etag}".encode()).hexdigest()


EXPECTED = (
    expected("kept", "k"),
    expected("back", "b", stored_times={"b": 2, "c": 1}),
    expected("gone", None, stored_times={"g": 1}),
    expected("never", None, needs_row=False, stored_times={"n": 1}),
    expected("bad", "h", is_hostile=True, labels=frozenset()),
    expected("big", None, needs_row=False, is_hostile=True, is_refused_by_api=True),
    expected("found", "f", is_told=False),
)
OBSERVED = ObservedAfternoon(
    rows=(
        row("kept", "k"),
        row("back", "b"),
        row("gone", "g", is_deleted=True),
        row("bad", "h", status="failed", label="", error="The PNG is damaged or incomplete."),
        row("found", "f", completed_at=NOON + timedelta(seconds=9)),
    ),
    runs={workflow("kept", "k"): 1, workflow("back", "b"): 2, workflow("back", "c"): 1, workflow("bad", "h"): 1},
    parked=2,
    refusals={"big": ApiRefusal(413, REFUSAL)},
    sent_at=dict.fromkeys((("kept", "k"), ("back", "b"), ("found", "f")), NOON),
)


def with_row(name: str, **changes: Any) -> ObservedAfternoon:
    return replace(OBSERVED, rows=tuple(replace(one, **changes) if one.name == name else one for one in OBSERVED.rows))


def without_row(name: str) -> ObservedAfternoon:
    return replace(OBSERVED, rows=tuple(one for one in OBSERVED.rows if one.name != name))


def a_day() -> Scorecard:
    return score_day(make_truth([true_goal()]), fixture(event()))


def missed(card: UploadsCard) -> list[str]:
    return [target.name for target in evaluate_uploads_targets(card) if not target.met]


def test_an_afternoon_without_a_fault_meets_every_target() -> None:
    card = build_uploads_card(EXPECTED, OBSERVED, CONDITIONS)
    assert missed(card) == []
    assert (card.live, card.deleted, card.hostile) == (3, 2, 2)
    assert (card.versions, card.repeated) == (4, 1)
    assert (card.classified.p50, card.found.p50) == (1.0, 9.0)


LABEL, DELETED = "images whose row ends on the right version's label", "deleted images whose row says so"
HOSTILE, LOST = "hostile files refused with a sentence", "images lost"
DOUBLED, PARKED = "classifications doubled", "malformed notifications parked"


@pytest.mark.parametrize(
    ("observed", "wrong"),
    [
        (with_row("kept", label="coil"), [LABEL]),
        (with_row("kept", status="failed", error="Unknown."), [LABEL]),
        (with_row("kept", status="running", label=""), [LABEL, LOST]),
        (with_row("back", etag="c"), [LABEL, LOST]),
        (with_row("kept", is_deleted=True), [LABEL, LOST]),
        (without_row("kept"), [LABEL, LOST]),
        (with_row("gone", is_deleted=False), [DELETED]),
        (without_row("gone"), [DELETED]),
        (replace(OBSERVED, rows=(*OBSERVED.rows, row("never", "n"))), [DELETED]),
        (with_row("bad", status="classified", label="maze"), [HOSTILE]),
        (with_row("bad", error="ValueError: /tmp/x"), [HOSTILE]),
        (without_row("bad"), [HOSTILE, LOST]),
        (replace(OBSERVED, refusals={}), [HOSTILE]),
        (replace(OBSERVED, refusals={"big": ApiRefusal(413, "")}), [HOSTILE]),
        (replace(OBSERVED, rows=(*OBSERVED.rows, row("big", "x"))), [HOSTILE]),
        (replace(OBSERVED, refusals={**OBSERVED.refusals, "kept": ApiRefusal(409, REFUSAL)}), [LABEL]),
        (replace(OBSERVED, runs={workflow("kept", "k"): 2}), [DOUBLED]),
        (replace(OBSERVED, runs={workflow("back", "b"): 3}), [DOUBLED]),
        (replace(OBSERVED, runs={workflow("unknown", "x"): 1}), [DOUBLED]),
        (replace(OBSERVED, parked=1), [PARKED]),
        (replace(OBSERVED, parked=3), [PARKED]),
        (replace(OBSERVED, internal_errors=1), ["requests answered by an internal error"]),
        (replace(OBSERVED, sent_at={}), ["median from PUT to classified, seconds"]),
    ],
)
def test_each_wrong_end_misses_its_target(observed: ObservedAfternoon, wrong: list[str]) -> None:
    assert missed(build_uploads_card(EXPECTED, observed, CONDITIONS)) == wrong


def test_a_name_that_was_never_told_of_is_right_without_a_row_and_as_a_tombstone() -> None:
    observed = replace(OBSERVED, rows=(*OBSERVED.rows, row("never", "n", is_deleted=True)))
    assert missed(build_uploads_card(EXPECTED, observed, CONDITIONS)) == []


def test_an_afternoon_without_an_image_proves_nothing() -> None:
    card = build_uploads_card((), ObservedAfternoon((), {}, 0), replace(CONDITIONS, malformed=0))
    assert {LABEL, DELETED, HOSTILE, PARKED} <= set(missed(card))


@pytest.mark.parametrize(("recovered", "met"), [(1.0, True), (None, False)])
def test_with_chaos_every_kill_must_be_recovered_from(recovered: float | None, met: bool) -> None:
    fault = InjectedFault("kill nats", 1.0, "", 1, 2, recovered)
    card = build_uploads_card(EXPECTED, OBSERVED, replace(CONDITIONS, chaos=True), [fault])
    assert (missed(card) == []) is met
    assert missed(build_uploads_card(EXPECTED, OBSERVED, replace(CONDITIONS, chaos=True))) != []


@pytest.mark.parametrize(
    ("sentence", "readable"),
    [
        ("The PNG is damaged or incomplete.", True),
        ("", False),
        ("no capital letter at the start.", False),
        ("No full stop", False),
        ("BadInput(Error) was raised.", False),
        ("The file /tmp/x cannot be read.", False),
    ],
)
def test_a_sentence_for_people_has_no_words_of_programs(sentence: str, readable: bool) -> None:
    assert is_readable(sentence) is readable


@pytest.mark.parametrize("render", [render_uploads_text, render_uploads_html, render_uploads_json])
def test_every_report_names_targets_and_what_is_wrong(render: Callable[[UploadsCard], str]) -> None:
    card = build_uploads_card(EXPECTED, with_row("kept", label="coil <b>"), CONDITIONS)
    report = render(card)
    assert "kept" in report
    assert "coil" in report
    assert DOUBLED in report
    assert ("coil <b>" in report) is (render is not render_uploads_html)


def test_beside_matches_the_afternoon_is_part_of_the_days_scorecard() -> None:
    uploads = build_uploads_card(EXPECTED, without_row("kept"), CONDITIONS)
    day = replace(a_day(), uploads=uploads)
    names = [target.name for target in evaluate_targets(day)]
    assert {target.name for target in evaluate_uploads_targets(uploads)} < set(names)
    assert LOST in render_text(day)
    assert "what became of each name" in render_html(day)
    assert json.loads(render_json(day))["uploads"]["lost"] == 1
    assert json.loads(render_json(a_day()))["uploads"] is None
