"""The credentials with which the servers of a NATS cluster are reached that no address names."""

import pytest

from found_footy.platform.queue import read_shared_credentials


@pytest.mark.parametrize(
    ("urls", "options"),
    [
        ("nats://one:4222", {}),
        ("nats://me:secret@one:4222", {"user": "me", "password": "secret"}),
        ("nats://me:secret@one:4222,nats://me:secret@two:4222", {"user": "me", "password": "secret"}),
        ("nats://me:p%40ss@one:4222", {"user": "me", "password": "p@ss"}),
        ("nats://token@one:4222", {"token": "token"}),
        ("nats://me:secret@one:4222,nats://you:other@two:4222", {}),
        ("nats://me:secret@one:4222,nats://two:4222", {}),
    ],
)
def test_what_all_addresses_share_is_used_for_every_server(urls: str, options: dict[str, str]) -> None:
    assert read_shared_credentials(urls) == options
