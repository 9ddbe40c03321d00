"""Why two clips are one or two, in sentences, and where they stand on a common timeline."""

from typing import Any

import pytest

from found_footy.fingerprint import FingerprintMatch, MatchEvidence, MatchProfile, SimilarWindow
from found_footy.views.lab_views import CHART_WIDTH, LabSubject, build_lab_report, find_subject

EVENT = {
    "_event_id": "5000_40_234_Goal_1",
    "_s3_videos": [
        {
            "clip_id": "one",
            "md5": "a" * 32,
            "_s3_key": "5000/x.mp4",
            "duration": 12.0,
            "fingerprint_key": "p/a",
            "timestamp_verified": True,
            "_members": [{"md5": "a" * 32, "duration": 12.0}, {"md5": "e" * 32, "duration": 8.0, "verified": False}],
        },
        {"clip_id": "two", "md5": "b" * 32, "_s3_key": "5000/y.mp4", "duration": 10.0, "pinned": True},
    ],
}


def subject(name: str) -> LabSubject:
    found = find_subject(EVENT, name)
    assert found is not None
    return found


def profile(*, matched: bool, offset: float = 4.0, rating: float = 0.8) -> MatchProfile:
    evidence = MatchEvidence.MOTION if matched else MatchEvidence.NONE
    match = FingerprintMatch(rating, offset, 8.0, mirrored=False, evidence=evidence, matched=matched)
    windows = (SimilarWindow(4.0, 1.0, 0.9, 1.0), SimilarWindow(5.0, 1.0, 0.2, 1.0))
    return MatchProfile(match, rating, 0.55, offset, False, windows)


def test_a_clip_is_found_by_its_id_and_a_copy_by_its_digest() -> None:
    assert (subject("one").media_url, subject("one").verified) == ("/media/5000/x.mp4", True)
    copy = subject("e" * 32)
    assert (copy.clip_id, copy.media_url, copy.verified) == ("one", "", False)
    assert find_subject(EVENT, "three") is None


def test_both_clips_and_what_is_alike_stand_on_one_timeline() -> None:
    report = build_lab_report(subject("one"), subject("two"), profile(matched=False, offset=4.0), kept_apart=False)
    per_second = CHART_WIDTH / 14
    assert (report.first.x, report.second.x) == (0, round(4 * per_second, 1))
    assert [round(one.x / per_second) for one in report.windows] == [4, 5]
    assert [one.shade for one in report.windows] == [0.9, 0.2]
    earlier = build_lab_report(subject("one"), subject("two"), profile(matched=True, offset=-3.0), kept_apart=False)
    assert (earlier.first.x, earlier.second.x) == (round(3 * CHART_WIDTH / 15, 1), 0)


@pytest.mark.parametrize(
    ("names", "options", "verdict", "said"),
    [
        (("one", "two"), {"matched": False, "rating": 0.31}, "Two recordings", "do not match: the motion rates 0.31"),
        (("one", "two"), {"matched": True}, "Two recordings", "A pinned clip is not merged"),
        (("one", "two"), {"matched": True, "kept_apart": True}, "Two recordings", "A curator keeps them apart"),
        (("one", "e" * 32), {"matched": True}, "One recording", "the same motion over the whole overlap"),
        (("one", "a" * 32), {"matched": True}, "One recording", "the same file, byte for byte"),
        (("one", "two"), {}, "Two recordings", "missing or of another version"),
    ],
)
def test_the_reasons_are_said_in_words(
    names: tuple[str, str], options: dict[str, Any], verdict: str, said: str
) -> None:
    kept_apart = bool(options.pop("kept_apart", False))
    seen = profile(**options) if options else None
    report = build_lab_report(subject(names[0]), subject(names[1]), seen, kept_apart=kept_apart)
    assert report.verdict == verdict
    assert any(said in reason for reason in report.reasons), report.reasons
