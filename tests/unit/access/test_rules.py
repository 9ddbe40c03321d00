"""Levels, names, passwords, roles by claim, and where a form may lead."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.access.levels import AccessLevel, KeyScope, Role, compute_key_level, list_scopes
from found_footy.access.rules import (
    choose_role,
    find_name_fault,
    find_password_fault,
    normalize_name,
    suggest_name,
)
from found_footy.platform.http.session_tokens import compute_csrf_token, digest_token, generate_token
from found_footy.web.accounts.sign_in_limits import SignInLimits
from found_footy.web.forms import select_local_target

ROLES = {Role.VIEWER: ("fans",), Role.CURATOR: ("editors",), Role.ADMIN: ("owners",)}


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("scope", list(KeyScope))
def test_a_key_opens_no_more_than_its_owner_may(scope: KeyScope, role: Role) -> None:
    assert compute_key_level(scope, role) == min(scope.level, role.level)
    assert (scope in list_scopes(role)) == (scope.level <= role.level)


def test_levels_are_in_order() -> None:
    assert [role.level for role in Role] == [AccessLevel.VIEW, AccessLevel.CURATE, AccessLevel.ADMIN]


@pytest.mark.parametrize(
    ("claim", "role"),
    [
        ("editors", Role.CURATOR),
        (["fans", "owners", "editors"], Role.ADMIN),
        (["strangers"], None),
        ([], None),
        (None, None),
        ({"owners": True}, None),
        ([["owners"], 1], None),
        ("own", None),
    ],
)
def test_the_highest_role_that_a_claim_names_counts(claim: Any, role: Role | None) -> None:
    assert choose_role(claim, ROLES) is role


@pytest.mark.parametrize("name", ["ada", "ada.b+c@example.org", "0", "a" * 64])
def test_usable_names(name: str) -> None:
    assert find_name_fault(name) is None


@pytest.mark.parametrize("name", ["", ".a", "a b", "a/b", "a" * 65, "ä", "<b>", "a\n"])
def test_names_that_are_refused(name: str) -> None:
    assert find_name_fault(name)


@given(st.text(max_size=80), st.text(min_size=1, max_size=80))
def test_a_suggested_name_is_usable(claim: str, subject: str) -> None:
    assert find_name_fault(suggest_name(claim, subject)) is None


def test_names_are_compared_without_regard_to_case() -> None:
    assert normalize_name("  ＡDA ") == "ada"


@pytest.mark.parametrize(
    ("password", "is_usable"),
    [
        ("nine lives and a ball", True),
        ("short", False),
        ("aaaaaaaaaaaaaaaa", False),
        ("x" * 100 + "y" * 101, False),
        ("adalovelace12", False),
        ("adalovelace and eleven others", True),
    ],
)
def test_passwords(password: str, is_usable: bool) -> None:
    assert (find_password_fault(password, "adalovelace") is None) == is_usable


LOCAL = ["/", "/account", "/goals/1?clip=a&b=c", "/search?q=http://x"]
FOREIGN = [
    "",
    "account",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "https://evil.example",
    "javascript:alert(1)",
    "/\t/evil.example",
    "/\n/evil.example",
    " //evil.example",
    "/" + "a" * 600,
]


@pytest.mark.parametrize("target", LOCAL)
def test_a_page_of_ours_is_gone_on_to(target: str) -> None:
    assert select_local_target(target, "/account") == target


@pytest.mark.parametrize("target", FOREIGN)
def test_no_other_site_is_gone_on_to(target: str) -> None:
    assert select_local_target(target, "/account") == "/account"


def test_tokens_do_not_repeat_and_their_digests_and_csrf_tokens_differ() -> None:
    one, other = generate_token(), generate_token()
    assert len({one, other, digest_token(one), digest_token(other), compute_csrf_token(one)}) == 5


def test_wrong_passwords_are_limited_per_address_and_per_account_and_come_back() -> None:
    limits = SignInLimits()
    for _ in range(10):
        assert limits.seconds_until_retry("203.0.113.9", "ada", "", 0.0) == 0
        limits.record_attempt("203.0.113.9", "ada", "", 0.0)
    assert limits.seconds_until_retry("203.0.113.9", "bob", "", 0.0) == 60
    assert limits.seconds_until_retry("203.0.113.10", "ada", "", 0.0) == 0
    for number in range(10):
        limits.record_attempt(f"203.0.113.{20 + number}", "ada", "", 1.0)
    assert limits.seconds_until_retry("203.0.113.99", "ada", "", 2.0) > 0
    # The owner's own browser is not shut out by others, and nobody is for good.
    assert limits.seconds_until_retry("203.0.113.9", "ada", "the owner's browser", 2.0) == 0
    assert limits.seconds_until_retry("203.0.113.99", "ada", "", 700.0) == 0


def test_a_known_browser_has_a_limit_of_its_own() -> None:
    limits = SignInLimits()
    for _ in range(10):
        limits.record_attempt("203.0.113.9", "ada", "device", 0.0)
    assert limits.seconds_until_retry("203.0.113.9", "ada", "device", 0.0) > 0
    assert limits.seconds_until_retry("203.0.113.9", "ada", "", 0.0) == 0


def test_right_passwords_do_not_count() -> None:
    limits = SignInLimits()
    for _ in range(50):
        limits.record_attempt("203.0.113.9", "ada", "", 0.0)
        limits.forget_attempts("203.0.113.9", "ada", "")
    assert limits.seconds_until_retry("203.0.113.9", "ada", "", 0.0) == 0
