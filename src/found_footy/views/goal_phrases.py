"""Texts of a goal's page: what became of a candidate, what the picture proves, what was expected of it."""

from urllib.parse import urlsplit

from found_footy.domain.outcomes import ClipOutcome, Finding

_OUTCOME_LABELS = {
    ClipOutcome.UPLOADED: "Kept",
    ClipOutcome.REPLACED: "Kept, better than an earlier copy",
    ClipOutcome.DUPLICATE: "Already known",
    ClipOutcome.FILTERED_DURATION: "Too short or too long",
    ClipOutcome.FILTERED_ASPECT: "Not a wide picture",
    ClipOutcome.FILTERED_SIZE: "File too small or too large",
    ClipOutcome.UNSUPPORTED_CODEC: "Format that browsers do not play",
    ClipOutcome.NOT_SOCCER: "Not football",
    ClipOutcome.PHONE_SCREEN: "A screen filmed by a camera",
    ClipOutcome.WRONG_MINUTE: "Another minute",
    ClipOutcome.WRONG_MATCH: "Another match",
    ClipOutcome.WRONG_GOAL: "Another goal of this match",
    ClipOutcome.VISION_UNAVAILABLE: "Not checked yet",
    ClipOutcome.DOWNLOAD_DELETED: "Deleted where it was posted",
    ClipOutcome.DOWNLOAD_GEO: "Not available in this country",
    ClipOutcome.DOWNLOAD_RATE_LIMITED: "The host asked to wait",
    ClipOutcome.DOWNLOAD_TIMEOUT: "The host was too slow",
    ClipOutcome.DOWNLOAD_FAILED: "Could not be downloaded",
    ClipOutcome.BAD_URL: "The link leads to no video",
    ClipOutcome.EVENT_REMOVED: "The goal was taken back",
    ClipOutcome.BLOCKED: "Blocked",
}
KEPT_OUTCOMES = frozenset({ClipOutcome.UPLOADED, ClipOutcome.REPLACED})

_FINDING_LABELS = {
    Finding.CONFIRMED: "agrees",
    Finding.UNKNOWN: "not readable",
    Finding.CONTRADICTED: "differs",
}


def describe_outcome(outcome: str) -> str:
    return next((label for known, label in _OUTCOME_LABELS.items() if known == outcome), "Being checked")


def describe_finding(finding: str) -> str:
    return next((label for known, label in _FINDING_LABELS.items() if known == finding), "not readable")


def count_of(number: int, one: str, many: str) -> str:
    return f"1 {one}" if number == 1 else f"{number} {many}"


def name_of_host(url: str) -> str:
    """`x.com` for `https://x.com/fan/status/1`; nothing for what is no address."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
