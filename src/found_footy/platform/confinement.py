"""What is put around a process before it opens a file from a stranger. Nothing of it can be undone by that process.

It reads its source and the libraries, writes plain files into its folders, and computes. It reaches no network, no
other file, no other process, and starts none. As root it becomes nobody. Where the kernel lacks a part the rest still
holds, and `missing` says so.
"""

import contextlib
import ctypes
import os
import stat
import struct
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from found_footy.platform import landlock, seccomp
from found_footy.platform.launcher import die_with

NOBODY = 65_534
# Half the processor of those who do not yield; and the first to go when the machine has no memory left.
_NICE = 3
_KILLED_FIRST = 1_000
_SYSTEM_FILES = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/dev/null", "/dev/urandom",
)  # fmt: skip
# Where what is loaded late lies. The folders of data are not among them: not whole prefixes, not the path of modules.
_LIBRARIES = (
    Path(__file__).parents[1],
    *(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    Path(sys.base_prefix) / "lib",
    *map(Path, _SYSTEM_FILES),
)
# To become nobody and leave files that others can take: change owners, pass over modes, and set groups and users.
_CHOWN, _DAC_OVERRIDE, _FOWNER, _SETGID, _SETUID = (1 << bit for bit in (0, 1, 3, 6, 7))
_TO_CHANGE_USER = _CHOWN | _DAC_OVERRIDE | _FOWNER | _SETGID | _SETUID
_CAPABILITY_VERSION_3 = 0x20080522


@dataclass(frozen=True)
class Walls:
    """What this machine can put around a decoder: Landlock's version, 0 without; a seccomp filter; and who we are."""

    landlock: int
    seccomp: bool
    root: bool


def walls() -> Walls:
    return Walls(landlock.abi(), seccomp.is_available(), os.geteuid() == 0)


def missing(found: Walls) -> list[str]:
    """What a decoder that was taken over could do here, in words; nothing where all walls stand."""
    lacks = []
    if not found.landlock:
        lacks.append("no Landlock: a decoder can read the files of its user")
    if not found.seccomp:
        lacks.append("no seccomp filter: a decoder can use the network and start programs")
    return lacks


def told(found: Walls) -> tuple[str, str]:
    """For people: how files from strangers are opened on this machine, and what would make it safer."""
    lacks = missing(found)
    parts = lacks or [f"shut in by Landlock (version {found.landlock}) and seccomp"]
    remedies = ["a newer Linux kernel has what is missing"] if lacks else []
    if found.root:
        parts.append("runs as root")
        remedies.append("run the worker as an ordinary user")
    return "; ".join(parts), "; ".join(remedies)


def confine(source: str, folders: Sequence[str], arguments: Sequence[str]) -> list[str]:
    """Shut this process in with its source and its folders. Returns the arguments, in which paths may have changed:
    nobody does not get through folders that are root's alone, and finds its files by what is open already.

    The process must be alone in its session, without other threads, and under `launcher.restrict`.
    """
    told, parent = list(arguments), os.getppid()
    if sys.platform != "linux":
        return told
    _come_last()
    changes_user = os.geteuid() == 0 and has_rights_to_change_user(_capabilities()) and _nobody_exists()
    if changes_user and (changed := _opened(source, folders, told)) is not None:
        told = changed
    else:
        changes_user = False
    sources = [Path(source)] if source else []
    landlock.restrict_files([*sources, *_LIBRARIES], map(Path, folders))
    if changes_user:
        _become_nobody()
        die_with(parent)
    _drop_capabilities()
    if seccomp.is_available():
        seccomp.deny_system_calls()
    return told


def given_back(folder: str) -> None:
    """What nobody has left in a folder belongs to us, as if we had written it."""
    if os.geteuid() == 0 and Path(folder).is_dir() and Path(folder).stat().st_uid == NOBODY:
        _owned(folder, os.geteuid(), os.getegid())


def has_rights_to_change_user(effective: int) -> bool:
    """A root without them, as in some containers, stays root without rights."""
    return effective & _TO_CHANGE_USER == _TO_CHANGE_USER


def has_nobody(users: str, groups: str, groups_can_be_given_up: str) -> bool:
    """Whether a process can become nobody in a user namespace with these maps, as /proc tells them. In one that holds
    its root alone there is no other user.
    """
    return groups_can_be_given_up.strip() == "allow" and all(
        any(int(first) <= NOBODY < int(first) + int(count) for first, _, count in map(str.split, ids.splitlines()))
        for ids in (users, groups)
    )


def _nobody_exists() -> bool:
    """Not without /proc either, where nobody could not find its files."""
    try:
        return has_nobody(*((Path("/proc/self") / name).read_text() for name in ("uid_map", "gid_map", "setgroups")))
    except FileNotFoundError:
        return False


def _come_last() -> None:
    os.nice(_NICE)
    with contextlib.suppress(OSError):  # in some containers it cannot be written; then the kernel chooses by size
        Path("/proc/self/oom_score_adj").write_text(str(_KILLED_FIRST), encoding="ascii")


def _opened(source: str, folders: Sequence[str], arguments: list[str]) -> list[str] | None:
    """The arguments with the names that open files have in /proc. The source becomes readable to nobody, the folders
    become nobody's. None on a file system that does not change owners or modes: there we stay who we are.
    """
    try:
        names = _made_nobodys(source, folders)
    except PermissionError:
        return None
    readable = source not in names or Path(source).stat().st_mode & stat.S_IROTH
    if not readable or any(Path(one).stat().st_uid != NOBODY for one in names if one != source):
        return None
    return [_renamed(one, names) for one in arguments]


def _made_nobodys(source: str, folders: Sequence[str]) -> dict[str, str]:
    names = {}
    if source and (file := Path(source)).exists():
        if not (mode := file.stat().st_mode) & stat.S_IROTH:
            file.chmod(mode | stat.S_IROTH)
        names[source] = _name_of(source)
    for folder in folders:
        if Path(folder).is_dir():
            _owned(folder, NOBODY, NOBODY, but=source)
            names[folder] = _name_of(folder)
    return names


def _owned(folder: str, user: int, group: int, but: str = "") -> None:
    """The folder and what is in it get this owner. What somebody removes meanwhile needs none."""
    for entry in [*Path(folder).iterdir(), Path(folder)]:
        if str(entry) != but:
            with contextlib.suppress(FileNotFoundError):
                os.chown(entry, user, group, follow_symlinks=False)


def _name_of(path: str) -> str:
    return f"/proc/self/fd/{os.open(path, os.O_PATH)}"


def _renamed(argument: str, names: dict[str, str]) -> str:
    if argument in names:
        return names[argument]
    folder, _, name = argument.rpartition("/")
    return f"{names[folder]}/{name}" if folder in names else argument


def _become_nobody() -> None:
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def _capabilities() -> int:
    """The effective ones, a bit each."""
    data = ctypes.create_string_buffer(24)
    header = ctypes.create_string_buffer(struct.pack("=Ii", _CAPABILITY_VERSION_3, 0))
    if ctypes.CDLL(None, use_errno=True).capget(header, data) != 0:
        raise OSError(ctypes.get_errno(), "capget")
    words = struct.unpack("=6I", data.raw)
    return int(words[0]) | int(words[3]) << 32


def _drop_capabilities() -> None:
    header = ctypes.create_string_buffer(struct.pack("=Ii", _CAPABILITY_VERSION_3, 0))
    if ctypes.CDLL(None, use_errno=True).capset(header, ctypes.create_string_buffer(24)) != 0:
        raise OSError(ctypes.get_errno(), "capset")
