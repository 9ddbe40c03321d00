"""Dedup lab: two clips aligned by their pictures, what is alike where, and why they are one clip or two."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Response

from found_footy.archive.moderation.model import parse_moderation
from found_footy.domain.ids import parse_fixture_id
from found_footy.fingerprint import Fingerprint, MatchProfile, profile_match
from found_footy.views.goal_store import GoalReadStore
from found_footy.views.lab_views import CHART_WIDTH, LabReport, LabSubject, build_lab_report, find_subject
from found_footy.web.accounts.principals import PrincipalDep
from found_footy.web.fingerprints import load_fingerprint
from found_footy.web.operator.page_frame import render_operator_page
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState, WebStateDep

router = APIRouter(include_in_schema=False)

# A clip's id, or the MD5 of one of its copies.
SubjectName = Annotated[str, Query(pattern=r"^[A-Za-z0-9_-]{0,128}$")]


@router.get("/operator/lab")
async def show_lab(
    web: WebStateDep, principal: PrincipalDep, one: SubjectName = "", other: SubjectName = ""
) -> Response:
    problem = ""
    subjects: tuple[LabSubject, ...] = ()
    report: LabReport | None = None
    if one or other:
        try:
            subjects, report = await _compare(web, one, other)
        except ProblemError as error:
            problem = error.failure.detail
    return render_operator_page(
        web,
        principal,
        "lab.html",
        one=one,
        other=other,
        problem=problem,
        subjects=subjects,
        report=report,
        chart_width=CHART_WIDTH,
    )


async def _compare(web: WebState, one: str, other: str) -> tuple[tuple[LabSubject, LabSubject], LabReport]:
    """Raises ProblemError if there is no such clip."""
    first, event = await _load_subject(web, one, beside="")
    second, _ = await _load_subject(web, other, beside=first.event_id)
    names = ([first.clip_id, first.md5], [second.clip_id, second.md5])
    kept_apart = parse_moderation(event).are_kept_apart(*names)
    a, b = [await load_fingerprint(web, each.fingerprint_key) for each in (first, second)]
    profile = await _profile(web, a, b) if a is not None and b is not None else None
    return (first, second), build_lab_report(first, second, profile, kept_apart=kept_apart)


async def _profile(web: WebState, a: Fingerprint, b: Fingerprint) -> MatchProfile:
    return await web.page_cache.run_exclusively(lambda: profile_match(a, b))


async def _load_subject(web: WebState, name: str, beside: str) -> tuple[LabSubject, dict[str, object]]:
    """`beside` is the goal whose copies are looked at too: a copy is known only by its goal."""
    store = GoalReadStore(web.deps.database)
    stored = await web.store.find_fixture_of_clip(name) if name else None
    event_ids = [str(event.get("_event_id")) for event in stored.document.get("events") or ()] if stored else []
    for event_id in (*event_ids, *([beside] if beside else ())):
        event = await store.get_goal_document(parse_fixture_id(event_id), event_id)
        found = find_subject(event, name) if event else None
        if event is not None and found is not None:
            return found, dict(event)
    raise ProblemError(HTTPStatus.NOT_FOUND, f"There is no clip {name} here." if name else "Name two clips.")
