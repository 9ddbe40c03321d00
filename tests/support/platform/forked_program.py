"""A program for warm children: it does what its first argument says, in Python, and returns the `code` that leaves.

Everything that is wanted later is loaded before the child is confined.
"""

import ctypes
import os
import pathlib
import resource
import time
from typing import Any

LOADED = "once"


def main(arguments: list[str]) -> int:
    names: dict[str, Any] = {
        "arguments": arguments[1:],
        "ctypes": ctypes,
        "os": os,
        "pathlib": pathlib,
        "resource": resource,
        "time": time,
    }
    exec(arguments[0], names)  # noqa: S102
    return int(names.get("code", 0))
