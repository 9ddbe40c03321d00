"""Who has the token may; others may not, and may not go on guessing."""

import logging
from datetime import timedelta

import pytest
from pydantic import SecretStr

from found_footy.platform.errors import ConfigError
from found_footy.platform.http.access_tokens import (
    MAX_WRONG_TOKENS,
    WRONG_TOKEN_WINDOW,
    AccessToken,
    TokenDenial,
    TokenDenialReason,
    TokenGuard,
    caller_key,
    is_valid_bearer,
)
from found_footy.platform.settings.environment import load_from_environment
from found_footy.platform.settings.groups import SettingsGroup

TOKEN = SecretStr("a-token-of-enough-characters")
RIGHT = f"Bearer {TOKEN.get_secret_value()}"
ONE, OTHER = "203.0.113.9", "198.51.100.7"


@pytest.mark.parametrize(
    ("header", "right"),
    [
        (RIGHT, True),
        (RIGHT.replace("Bearer", "bearer"), True),
        ("", False),
        ("Bearer", False),
        ("Bearer ", False),
        (RIGHT.removeprefix("Bearer "), False),
        (RIGHT.replace("Bearer", "Basic"), False),
        (RIGHT[:-1], False),
        (RIGHT + "x", False),
        (RIGHT.upper(), False),
        ("Bearer ö\u20ac", False),
    ],
)
def test_only_the_whole_token_as_a_bearer_is_right(header: str, right: bool) -> None:
    assert is_valid_bearer(header, TOKEN) is right


def test_a_token_may_have_any_letters() -> None:
    token = SecretStr("schlüssel-zu-allem-€")
    assert is_valid_bearer("Bearer " + token.get_secret_value().encode().decode("latin-1"), token)


def test_without_a_token_nobody_is_authorized() -> None:
    guard = TokenGuard(None)
    for header in ("", RIGHT, "Bearer ", "Bearer None"):
        assert guard.check_token(header, ONE, 0, operation="adding a clip") == TokenDenial(
            TokenDenialReason.NOTHING_SET
        )


def test_a_caller_with_too_many_wrong_tokens_is_refused_for_a_while() -> None:
    guard = TokenGuard(TOKEN)
    for second in range(MAX_WRONG_TOKENS):
        assert guard.check_token(f"Bearer {second}", ONE, second, operation="it") == TokenDenial(
            TokenDenialReason.WRONG
        )
    refused = guard.check_token(RIGHT, ONE, 20, operation="it")
    assert refused == TokenDenial(TokenDenialReason.TOO_MANY_WRONG, WRONG_TOKEN_WINDOW.total_seconds() - 20)
    assert guard.check_token(RIGHT, OTHER, 20, operation="it") is None
    assert guard.check_token(RIGHT, ONE, WRONG_TOKEN_WINDOW.total_seconds(), operation="it") is None
    # What was wrong long ago does not count any more, and the right token does not count at all.
    for late in range(100, 100 + 3 * MAX_WRONG_TOKENS):
        assert guard.check_token(RIGHT, ONE, late, operation="it") is None


def test_requests_without_a_token_lock_nobody_out_and_do_not_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    guard = TokenGuard(TOKEN)
    with caplog.at_level(logging.INFO):
        for _ in range(5 * MAX_WRONG_TOKENS):
            assert guard.check_token("", ONE, 0, operation="it") == TokenDenial(TokenDenialReason.WRONG)
    assert guard.check_token(RIGHT, ONE, 1, operation="it") is None
    lines = [vars(record) for record in caplog.records]
    assert (len(lines), lines[0]["action"], lines[0]["sent"]) == (MAX_WRONG_TOKENS, "token_refused", False)
    # A guess is one, whatever else came before it.
    assert guard.check_token("Bearer wrong", ONE, 2, operation="it") == TokenDenial(TokenDenialReason.WRONG)
    assert (vars(caplog.records[-1])["sent"], vars(caplog.records[-1])["tries_left"]) == (True, MAX_WRONG_TOKENS - 1)


def test_wrong_tokens_far_between_are_not_too_many() -> None:
    guard = TokenGuard(TOKEN, limit=2, window=timedelta(seconds=10))
    for minute in range(20):
        assert guard.check_token("Bearer wrong", ONE, 60 * minute, operation="it") == TokenDenial(
            TokenDenialReason.WRONG
        )
        assert guard.check_token(RIGHT, ONE, 60 * minute, operation="it") is None


@pytest.mark.parametrize(
    ("host", "caller"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::9", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("unix:/run/x", "unix:/run/x"),
        ("", ""),
    ],
)
def test_the_addresses_of_one_caller_are_counted_together(host: str, caller: str) -> None:
    assert caller_key(host) == caller


def test_however_many_callers_are_wrong_the_guard_stays_small() -> None:
    guard = TokenGuard(TOKEN)
    for number in range(6000):
        for sent in ("", "Bearer wrong"):
            guard.check_token(sent, f"10.0.{number // 250}.{number % 250}", 0, operation="it")
    assert (len(guard._wrong_attempts), len(guard._tokenless_attempts)) == (4096, 4096)


def test_a_refusal_is_logged_without_what_was_sent(caplog: pytest.LogCaptureFixture) -> None:
    guard = TokenGuard(TOKEN)
    with caplog.at_level(logging.INFO):
        for _ in range(5 * MAX_WRONG_TOKENS):
            guard.check_token("Bearer nearly-the-right-token", ONE, 0, operation="adding a clip")
    lines = [record for record in caplog.records if vars(record).get("action") == "token_refused"]
    # A caller cannot fill the log either.
    assert len(lines) == MAX_WRONG_TOKENS
    assert (lines[0].getMessage(), vars(lines[0])["caller"]) == (f"adding a clip refused to {ONE}: wrong", ONE)
    assert "nearly" not in caplog.text
    assert TOKEN.get_secret_value() not in caplog.text


class TokenSettings(SettingsGroup):
    token: AccessToken | None = None


class AllSettings(SettingsGroup):
    door: TokenSettings


@pytest.mark.parametrize("short", ["a", "0123456789abcde"])
def test_a_short_token_ends_the_start_and_is_not_shown(short: str) -> None:
    with pytest.raises(ConfigError, match=r"FOOTY_DOOR__TOKEN.*at least 16 characters.*openssl rand") as reported:
        load_from_environment(AllSettings, {"FOOTY_DOOR__TOKEN": short})
    assert str(reported.value).startswith("FOOTY_DOOR__TOKEN=********: must have")


def test_a_token_of_enough_characters_is_taken_and_a_blank_one_is_none() -> None:
    taken = load_from_environment(AllSettings, {"FOOTY_DOOR__TOKEN": "0123456789abcdef"}).settings.door.token
    assert taken is not None
    assert taken.get_secret_value() == "0123456789abcdef"
    assert load_from_environment(AllSettings, {"FOOTY_DOOR__TOKEN": " "}).settings.door.token is None
