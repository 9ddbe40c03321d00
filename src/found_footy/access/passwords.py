"""Password hashes: argon2id, computed in a thread, few at a time."""

import asyncio
import secrets
from dataclasses import dataclass, field

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

# One takes 64 MiB and a good part of a core for a tenth of a second.
_AT_ONCE = 2


@dataclass(frozen=True)
class PasswordHashing:
    """`hasher` has the library's parameters, which follow RFC 9106; a hash made with others is renewed at sign-in."""

    hasher: PasswordHasher = field(default_factory=PasswordHasher)
    _slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))
    _decoy: list[str] = field(default_factory=list)

    async def hash_password(self, password: str) -> str:
        async with self._slots:
            return await asyncio.to_thread(self.hasher.hash, password)

    async def is_right(self, password: str, stored: str | None) -> bool:
        """Whether the password is the one of the stored hash. Without a hash the same work is done, so that the time
        does not tell whether a name exists.
        """
        decoy = await self._get_decoy()
        known = stored or decoy
        async with self._slots:
            right = await asyncio.to_thread(self._verify, known, password)
        return right and stored is not None

    def is_outdated(self, stored: str) -> bool:
        return self.hasher.check_needs_rehash(stored)

    async def _get_decoy(self) -> str:
        if not self._decoy:
            self._decoy.append(await self.hash_password(secrets.token_hex()))
        return self._decoy[0]

    def _verify(self, stored: str, password: str) -> bool:
        try:
            return self.hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False
