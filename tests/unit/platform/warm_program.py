"""A program for warm children: it does what its first argument says, in Python, and returns the `code` that leaves."""

from typing import Any

LOADED = "once"


def main(arguments: list[str]) -> int:
    names: dict[str, Any] = {"arguments": arguments[1:]}
    exec(arguments[0], names)  # noqa: S102
    return int(names.get("code", 0))
