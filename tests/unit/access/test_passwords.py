"""Password hashes."""

from typing import Literal

from argon2 import PasswordHasher

from found_footy.access.passwords import PasswordHashing
from tests.support.access.accounts import cheap_passwords


class CountingHasher(PasswordHasher):
    """Counts how often it compares."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=8, parallelism=1)
        self.compared = 0

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002  named by the library
        self.compared += 1
        return super().verify(hash, password)


async def test_a_right_password_is_right_and_no_other() -> None:
    passwords = cheap_passwords()
    stored = await passwords.hash_password("nine lives and a ball")
    assert stored.startswith("$argon2id$")
    assert await passwords.is_right("nine lives and a ball", stored)
    assert not await passwords.is_right("nine lives and a bail", stored)
    assert not await passwords.is_right("nine lives and a ball", "no hash")


async def test_an_unknown_name_costs_the_same_comparison() -> None:
    hasher = CountingHasher()
    passwords = PasswordHashing(hasher)
    assert not await passwords.is_right("anything at all", None)
    assert hasher.compared == 1


async def test_a_hash_with_other_parameters_is_outdated() -> None:
    stored = await cheap_passwords().hash_password("nine lives and a ball")
    assert PasswordHashing().is_outdated(stored)
    assert not cheap_passwords().is_outdated(stored)
