"""The request budget: never more than allowed, by our count and by the site's."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.xsearch.session.budget import RateLimitStatus, RequestBudget, SiteQuota, parse_rate_limit_headers
from found_footy.xsearch.session.budget_ledger import BudgetLedger

START = datetime(2026, 11, 15, 12, tzinfo=UTC)
WINDOW = timedelta(minutes=15)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def spend(budget: RequestBudget, *times: float) -> RequestBudget:
    for seconds in times:
        spent = budget.spend(at(seconds))
        assert spent is not None
        budget = spent
    return budget


def test_a_call_comes_back_when_its_window_has_passed() -> None:
    budget = spend(RequestBudget(2, WINDOW), 0, 60)
    assert budget.spend(at(899)) is None
    assert budget.left(at(900)) == 1
    assert budget.opens_at(at(100)) == at(900)
    assert budget.opens_at(at(901)) == at(901)


@given(st.integers(1, 8), st.lists(st.floats(0, 400), max_size=60))
def test_no_window_ever_holds_more_calls_than_allowed(limit: int, gaps: list[float]) -> None:
    budget, clock, made = RequestBudget(limit, WINDOW), START, []
    for gap in gaps:
        clock += timedelta(seconds=gap)
        if spent := budget.spend(clock):
            budget = spent
            made.append(clock)
    for call in made:
        assert sum(call - WINDOW < other <= call for other in made) <= limit


@given(st.integers(1, 8), st.lists(st.floats(0, 400), max_size=40), st.integers(0, 5), st.floats(1, 2000))
def test_it_opens_when_it_says_it_opens(limit: int, gaps: list[float], granted: int, ends: float) -> None:
    budget, clock = RequestBudget(limit, WINDOW, site_quota=SiteQuota(granted, at(ends))), START
    for gap in gaps:
        clock += timedelta(seconds=gap)
        budget = budget.spend(clock) or budget
    opens = budget.opens_at(clock)
    assert budget.left(opens) > 0
    assert opens == clock or budget.left(opens - timedelta(microseconds=1)) == 0


def test_the_rate_limit_of_the_site_is_respected_with_our_margin() -> None:
    said = RateLimitStatus(remaining=15, limit=50, resets_at=at(600))
    budget = RequestBudget(40, WINDOW).apply_rate_limit(said, START)
    assert budget.left(START) == 5
    assert budget.left(at(600)) == 40


def test_no_calls_left_at_the_site_pause_until_its_reset() -> None:
    budget = RequestBudget(40, WINDOW).apply_rate_limit(RateLimitStatus(0, 50, at(600)), START)
    assert (budget.left(START), budget.opens_at(START)) == (0, at(600))


@pytest.mark.parametrize(
    "said",
    [
        RateLimitStatus(None, 50, at(60)),
        RateLimitStatus(3, 50, None),
        RateLimitStatus(3, 50, at(-1)),
        RateLimitStatus(3, 50, START + timedelta(days=400)),
    ],
)
def test_absurd_figures_change_nothing(said: RateLimitStatus) -> None:
    assert RequestBudget(40, WINDOW).apply_rate_limit(said, START) == RequestBudget(40, WINDOW)


def test_a_paused_budget_stays_paused_until_the_latest_given_time() -> None:
    budget = RequestBudget(40, WINDOW).close(at(300)).close(at(100))
    assert (budget.left(at(299)), budget.left(at(300))) == (0, 40)


def test_a_clock_set_back_does_not_forget_calls_nor_lock_them_in() -> None:
    budget = spend(RequestBudget(1, WINDOW), 5000)
    assert budget.left(START) == 0
    assert budget.opens_at(START) == START + WINDOW


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, RateLimitStatus(None, None, None)),
        (
            {"x-rate-limit-remaining": "7", "x-rate-limit-limit": "50", "x-rate-limit-reset": "1800000000"},
            RateLimitStatus(7, 50, datetime.fromtimestamp(1_800_000_000, UTC)),
        ),
        (
            {"x-rate-limit-remaining": "-1", "x-rate-limit-reset": "soon", "x-rate-limit-limit": "9" * 40},
            RateLimitStatus(None, None, None),
        ),
    ],
)
def test_headers_are_read_or_ignored(headers: dict[str, str], expected: RateLimitStatus) -> None:
    assert parse_rate_limit_headers(headers) == expected


class TestLedger:
    def ledger(self, path: Path, seconds: float = 0) -> BudgetLedger:
        return BudgetLedger(path / "budget.json", 3, WINDOW, lambda: at(seconds))

    def test_what_was_spent_survives_a_restart(self, tmp_path: Path) -> None:
        before = self.ledger(tmp_path)
        assert [before.try_spend() for _ in range(4)] == [True, True, True, False]
        assert self.ledger(tmp_path, 899).left() == 0
        assert self.ledger(tmp_path, 900).left() == 3

    def test_what_the_site_said_survives_a_restart(self, tmp_path: Path) -> None:
        self.ledger(tmp_path).apply_headers(
            {"x-rate-limit-remaining": "0", "x-rate-limit-reset": str(int(at(700).timestamp()))}
        )
        assert self.ledger(tmp_path, 699).left() == 0
        assert self.ledger(tmp_path, 700).left() == 3

    def test_a_request_to_wait_without_a_time_waits_one_window(self, tmp_path: Path) -> None:
        assert self.ledger(tmp_path).close(None) == at(900)
        assert self.ledger(tmp_path, 899).left() == 0

    @pytest.mark.parametrize(
        ("reported", "opens"),
        [(-3600, 60), (0, 60), (30, 60), (300, 300), (86_400, 86_400), (9_999_999_999 - START.timestamp(), 86_400)],
    )
    def test_the_end_of_a_refusal_is_accepted_up_to_a_limit(
        self, tmp_path: Path, reported: float, opens: float
    ) -> None:
        assert self.ledger(tmp_path).close(at(reported)) == at(opens)
        assert self.ledger(tmp_path, opens - 1).left() == 0
        assert self.ledger(tmp_path, opens).left() == 3

    def test_a_refusal_on_disk_that_ends_in_another_century_ends_in_a_day(self, tmp_path: Path) -> None:
        (tmp_path / "budget.json").write_text(
            '{"spent": [], "grant": null, "closed_until": "2286-11-20T17:46:39+00:00"}'
        )
        assert self.ledger(tmp_path).opens_at() == START + timedelta(days=1)

    @pytest.mark.parametrize(
        "content",
        [
            "",
            "{",
            "[]",
            "{}",
            '{"spent":["x"],"grant":null,"closed_until":null}',
            '{"spent":["2026-11-15T12:00:00"],"grant":null,"closed_until":null}',
        ],
    )
    def test_an_unreadable_file_waits_one_window_rather_than_risk_the_account(
        self, tmp_path: Path, content: str
    ) -> None:
        (tmp_path / "budget.json").write_text(content)
        ledger = self.ledger(tmp_path)
        assert (ledger.left(), ledger.opens_at()) == (0, at(900))

    def test_a_call_that_cannot_be_recorded_is_not_made(self, tmp_path: Path) -> None:
        folder = tmp_path / "gone"
        folder.mkdir()
        ledger = self.ledger(folder)
        folder.rmdir()
        with pytest.raises(FileNotFoundError):
            ledger.try_spend()
        assert ledger.left() == 3
