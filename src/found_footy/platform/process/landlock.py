"""Landlock: this process permanently gives up access to every file that it does not name. Linux 5.13 and newer.

What the kernel can restrict depends on its Landlock ABI version: files from 1 on, TCP from 4, signals to other
processes and abstract UNIX sockets from 6.
"""

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_VERSION_FLAG = 1
_RULE_PATH_BENEATH = 1
_WRITE_FILE, _READ_FILE, _READ_DIR, _REMOVE_FILE, _MAKE_REG, _TRUNCATE = (1 << bit for bit in (1, 2, 3, 5, 8, 14))
_READ_ACCESS = _READ_FILE | _READ_DIR
# Plain files only: a link or a pipe could redirect whoever collects the files.
_WRITE_ACCESS = _READ_ACCESS | _WRITE_FILE | _REMOVE_FILE | _MAKE_REG | _TRUNCATE
# Rights that a rule on a file may grant; the others apply to directories.
_FILE_ACCESS = _WRITE_FILE | _READ_FILE | _TRUNCATE
# Number of file access bits that each ABI knows.
_FILE_BITS_BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_TCP_BIND_AND_CONNECT = 3
_ABSTRACT_SOCKETS_AND_SIGNALS = 3
_ABI_WITH_TCP, _ABI_WITH_SCOPES = 4, 6


def abi_version() -> int:
    """Return the kernel's Landlock ABI version; 0 if there is none or a container hides it, with whatever error."""
    if sys.platform != "linux":
        return 0
    found: int = _load_libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_FLAG)
    return max(0, found)


def build_ruleset(version: int) -> bytes:
    """Build the ruleset for a kernel of this version: everything it can restrict is denied unless a rule allows it."""
    files = (1 << _FILE_BITS_BY_ABI[min(version, max(_FILE_BITS_BY_ABI))]) - 1
    parts = [files]
    if version >= _ABI_WITH_TCP:
        parts.append(_TCP_BIND_AND_CONNECT)
    if version >= _ABI_WITH_SCOPES:
        parts.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    return struct.pack(f"={len(parts)}Q", *parts)


def restrict_files(readable: Iterable[Path], writable: Iterable[Path]) -> None:
    """Allow from now on only reading `readable` files and folders, and creating and writing plain files in the
    `writable` folders; nothing is executable. Missing paths are skipped. Does nothing without Landlock.

    The process must have no_new_privs and no other thread.
    """
    version = abi_version()
    if not version:
        return
    libc, attributes = _load_libc(), build_ruleset(version)
    everything = int.from_bytes(attributes[:8], sys.byteorder)
    rules = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if rules < 0:
        raise _landlock_error("ruleset")
    try:
        for path in readable:
            _add_path_rule(rules, path, _READ_ACCESS)
        for path in writable:
            _add_path_rule(rules, path, everything & _WRITE_ACCESS)
        if libc.syscall(_RESTRICT_SELF, rules, 0) != 0:
            raise _landlock_error("restriction")
    finally:
        os.close(rules)


def _add_path_rule(rules: int, path: Path, access: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return  # it cannot be opened later either
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            access &= _FILE_ACCESS
        rule = struct.pack("=Qi", access, descriptor)
        if _load_libc().syscall(_ADD_RULE, rules, _RULE_PATH_BENEATH, rule, 0) != 0:
            raise _landlock_error(str(path))
    finally:
        os.close(descriptor)


def _load_libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _landlock_error(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"Landlock: {what}: {os.strerror(number)}")
