"""Rules for names and passwords, and the role of somebody whom an identity provider vouches for. Pure."""

import re
import unicodedata
from collections.abc import Collection, Mapping
from typing import Any

from found_footy.access.levels import Role

MIN_PASSWORD_LENGTH = 12
MAX_PASSWORD_LENGTH = 200
_MAX_NAME_LENGTH = 64
_NAME_PATTERN = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}", re.ASCII)
_NOT_IN_NAMES = re.compile(r"[^a-z0-9._@+-]+")


def normalize_name(text: str) -> str:
    """Names are compared without regard to case and width."""
    return unicodedata.normalize("NFKC", text).strip().lower()


def find_name_fault(name: str) -> str | None:
    """Return what is wrong with the normalized name of a user; None if nothing is."""
    if _NAME_PATTERN.fullmatch(name):
        return None
    return "A name has 1 to 64 letters, digits and the characters . _ @ + -, and begins with a letter or digit."


def find_password_fault(password: str, name: str) -> str | None:
    """Return what is wrong with a new password; None if nothing is. Length protects, rules about characters do not."""
    if len(password) < MIN_PASSWORD_LENGTH:
        return f"A password has at least {MIN_PASSWORD_LENGTH} characters."
    if len(password) > MAX_PASSWORD_LENGTH:
        return f"A password has at most {MAX_PASSWORD_LENGTH} characters."
    if name and name in password.lower() and len(password) < len(name) + MIN_PASSWORD_LENGTH:
        return "The password contains the name and little else."
    return "The password repeats one character." if len(set(password)) == 1 else None


def choose_role(claim: Any, values: Mapping[Role, Collection[str]]) -> Role | None:
    """Return the highest role that one of the claim's values stands for; None if no value does. A claim is a text or
    a list of texts; anything else stands for nothing.
    """
    given = [claim] if isinstance(claim, str) else claim if isinstance(claim, list) else []
    named = {value for value in given if isinstance(value, str)}
    held = [role for role, wanted in values.items() if named & set(wanted)]
    return max(held, key=lambda role: role.level, default=None)


def suggest_name(claim: Any, subject: str) -> str:
    """Return a name for somebody from an identity provider, from what it calls them, else from its id of them."""
    text = claim if isinstance(claim, str) else ""
    name = _NOT_IN_NAMES.sub("-", normalize_name(text)).lstrip("._@+-")[:_MAX_NAME_LENGTH]
    return name if find_name_fault(name) is None else f"user-{_NOT_IN_NAMES.sub('-', subject.lower())[:40]}"
