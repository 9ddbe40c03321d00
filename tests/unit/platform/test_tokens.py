"""Who has the token may; others may not, and may not go on guessing."""

import logging
from datetime import timedelta

import pytest
from pydantic import SecretStr

from found_footy.platform.environment import load
from found_footy.platform.errors import ConfigError
from found_footy.platform.settings import Group
from found_footy.platform.tokens import (
    WINDOW,
    WRONG_TOKENS,
    AccessToken,
    Refusal,
    TokenGuard,
    Why,
    caller_of,
    is_bearer,
)

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
    assert is_bearer(header, TOKEN) is right


def test_a_token_may_have_any_letters() -> None:
    token = SecretStr("schlüssel-zu-allem-€")
    assert is_bearer("Bearer " + token.get_secret_value().encode().decode("latin-1"), token)


def test_without_a_token_nobody_may() -> None:
    guard = TokenGuard(None)
    for header in ("", RIGHT, "Bearer ", "Bearer None"):
        assert guard.refusal(header, ONE, 0, asked="adding a clip") == Refusal(Why.NOTHING_SET)


def test_who_is_wrong_too_often_is_not_listened_to_for_a_while() -> None:
    guard = TokenGuard(TOKEN)
    for second in range(WRONG_TOKENS):
        assert guard.refusal(f"Bearer {second}", ONE, second, asked="it") == Refusal(Why.WRONG)
    refused = guard.refusal(RIGHT, ONE, 20, asked="it")
    assert refused == Refusal(Why.TOO_MANY_WRONG, WINDOW.total_seconds() - 20)
    assert guard.refusal(RIGHT, OTHER, 20, asked="it") is None
    assert guard.refusal(RIGHT, ONE, WINDOW.total_seconds(), asked="it") is None
    # What was wrong long ago does not count any more, and the right token does not count at all.
    for late in range(100, 100 + 3 * WRONG_TOKENS):
        assert guard.refusal(RIGHT, ONE, late, asked="it") is None


def test_who_sends_no_token_shuts_out_nobody_and_does_not_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    guard = TokenGuard(TOKEN)
    with caplog.at_level(logging.INFO):
        for _ in range(5 * WRONG_TOKENS):
            assert guard.refusal("", ONE, 0, asked="it") == Refusal(Why.WRONG)
    assert guard.refusal(RIGHT, ONE, 1, asked="it") is None
    lines = [vars(record) for record in caplog.records]
    assert (len(lines), lines[0]["action"], lines[0]["sent"]) == (WRONG_TOKENS, "token_refused", False)
    # A guess is one, whatever else came before it.
    assert guard.refusal("Bearer wrong", ONE, 2, asked="it") == Refusal(Why.WRONG)
    assert (vars(caplog.records[-1])["sent"], vars(caplog.records[-1])["tries_left"]) == (True, WRONG_TOKENS - 1)


def test_wrong_tokens_far_between_are_not_too_many() -> None:
    guard = TokenGuard(TOKEN, limit=2, window=timedelta(seconds=10))
    for minute in range(20):
        assert guard.refusal("Bearer wrong", ONE, 60 * minute, asked="it") == Refusal(Why.WRONG)
        assert guard.refusal(RIGHT, ONE, 60 * minute, asked="it") is None


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
    assert caller_of(host) == caller


def test_however_many_callers_are_wrong_the_guard_stays_small() -> None:
    guard = TokenGuard(TOKEN)
    for number in range(6000):
        for sent in ("", "Bearer wrong"):
            guard.refusal(sent, f"10.0.{number // 250}.{number % 250}", 0, asked="it")
    assert (len(guard._wrong), len(guard._silent)) == (4096, 4096)


def test_a_refusal_is_logged_without_what_was_sent(caplog: pytest.LogCaptureFixture) -> None:
    guard = TokenGuard(TOKEN)
    with caplog.at_level(logging.INFO):
        for _ in range(5 * WRONG_TOKENS):
            guard.refusal("Bearer nearly-the-right-token", ONE, 0, asked="adding a clip")
    lines = [record for record in caplog.records if vars(record).get("action") == "token_refused"]
    # A caller cannot fill the log either.
    assert len(lines) == WRONG_TOKENS
    assert (lines[0].getMessage(), vars(lines[0])["caller"]) == (f"adding a clip refused to {ONE}: wrong", ONE)
    assert "nearly" not in caplog.text
    assert TOKEN.get_secret_value() not in caplog.text


class Door(Group):
    token: AccessToken | None = None


class Doors(Group):
    door: Door


@pytest.mark.parametrize("short", ["a", "0123456789abcde"])
def test_a_short_token_ends_the_start_and_is_not_shown(short: str) -> None:
    with pytest.raises(ConfigError, match=r"FOOTY_DOOR__TOKEN.*at least 16 characters.*openssl rand") as told:
        load(Doors, {"FOOTY_DOOR__TOKEN": short})
    assert str(told.value).startswith("FOOTY_DOOR__TOKEN=********: must have")


def test_a_token_of_enough_characters_is_taken_and_a_blank_one_is_none() -> None:
    taken = load(Doors, {"FOOTY_DOOR__TOKEN": "0123456789abcdef"}).settings.door.token
    assert taken is not None
    assert taken.get_secret_value() == "0123456789abcdef"
    assert load(Doors, {"FOOTY_DOOR__TOKEN": " "}).settings.door.token is None
