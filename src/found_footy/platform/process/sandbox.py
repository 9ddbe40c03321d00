"""The sandbox that a process enters before it opens an untrusted file. The process cannot leave it.

It can read its source and the libraries, write plain files into its folders, and compute. It has no access to the
network, other files or other processes, and starts none. As root it becomes nobody. Where the kernel lacks a mechanism
the others still apply, and `missing_protections` lists it.
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

from found_footy.platform.process import landlock, seccomp
from found_footy.platform.process.launcher import die_with_parent

NOBODY_ID = 65_534
# About half the processor share of a process with niceness 0; and the first to be killed when memory runs out.
_NICENESS = 3
_OOM_SCORE_ADJUSTMENT = 1_000
_SYSTEM_PATHS = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/etc/ld.so.cache",
    "/dev/null",
    "/dev/urandom",
)
# Where modules and libraries are loaded from after confinement. Data folders are excluded: no whole prefixes, not
# sys.path.
_READABLE_PATHS = (
    Path(__file__).parents[2],
    *(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    Path(sys.base_prefix) / "lib",
    *map(Path, _SYSTEM_PATHS),
)
# Needed to become nobody and hand over files: change owners, bypass modes, set groups and users.
_CHOWN, _DAC_OVERRIDE, _FOWNER, _SETGID, _SETUID = (1 << bit for bit in (0, 1, 3, 6, 7))
_CHANGE_USER_CAPABILITIES = _CHOWN | _DAC_OVERRIDE | _FOWNER | _SETGID | _SETUID
_CAPABILITY_VERSION_3 = 0x20080522


@dataclass(frozen=True)
class SandboxSupport:
    """What this machine supports for a decoder's sandbox: the Landlock ABI version (0 without), seccomp, and who we
    are.
    """

    landlock_abi: int
    has_seccomp: bool
    is_root: bool


def detect_sandbox_support() -> SandboxSupport:
    return SandboxSupport(landlock.abi_version(), seccomp.is_available(), os.geteuid() == 0)


def missing_protections(support: SandboxSupport) -> list[str]:
    """Describe what a compromised decoder could do on this machine; empty if every mechanism is available."""
    problems = []
    if not support.landlock_abi:
        problems.append("no Landlock: a decoder can read the files of its user")
    if not support.has_seccomp:
        problems.append("no seccomp filter: a decoder can use the network and start programs")
    return problems


def describe_sandbox(support: SandboxSupport) -> tuple[str, str]:
    """Describe, for people, how untrusted files are opened on this machine, and what would make it safer."""
    problems = missing_protections(support)
    parts = problems or [f"sandboxed by Landlock (version {support.landlock_abi}) and seccomp"]
    remedies = ["a newer Linux kernel supports what is missing"] if problems else []
    if support.is_root:
        parts.append("runs as root")
        remedies.append("run the worker as an ordinary user")
    return "; ".join(parts), "; ".join(remedies)


def confine_process(source: str, folders: Sequence[str], arguments: Sequence[str]) -> list[str]:
    """Confine this process to its source and its folders. Returns the arguments, in which paths may have changed:
    nobody cannot traverse folders that only root may enter, and finds its files through open descriptors.

    The process must be alone in its session, without other threads, and under `launcher.restrict_process`.
    """
    rewritten, parent = list(arguments), os.getppid()
    if sys.platform != "linux":
        return rewritten
    _lower_priority()
    changes_user = os.geteuid() == 0 and can_change_user(_effective_capabilities()) and _is_nobody_mapped()
    if changes_user and (changed := _hand_files_to_nobody(source, folders, rewritten)) is not None:
        rewritten = changed
    else:
        changes_user = False
    sources = [Path(source)] if source else []
    landlock.restrict_files([*sources, *_READABLE_PATHS], map(Path, folders))
    if changes_user:
        _become_nobody()
        die_with_parent(parent)
    _drop_capabilities()
    if seccomp.is_available():
        seccomp.deny_system_calls()
    return rewritten


def restore_ownership(folder: str) -> None:
    """Give the files that nobody wrote into a folder to this process's user."""
    if os.geteuid() == 0 and Path(folder).is_dir() and Path(folder).stat().st_uid == NOBODY_ID:
        _change_owner(folder, os.geteuid(), os.getegid())


def can_change_user(effective: int) -> bool:
    """Whether the capabilities suffice. A root without them, as in some containers, stays root."""
    return effective & _CHANGE_USER_CAPABILITIES == _CHANGE_USER_CAPABILITIES


def can_map_nobody(users: str, groups: str, groups_can_be_given_up: str) -> bool:
    """Whether a process can become nobody in a user namespace with these maps, read from /proc. A namespace that maps
    only root has no other user.
    """
    return groups_can_be_given_up.strip() == "allow" and all(
        any(int(first) <= NOBODY_ID < int(first) + int(count) for first, _, count in map(str.split, ids.splitlines()))
        for ids in (users, groups)
    )


def _is_nobody_mapped() -> bool:
    """False without /proc as well: nobody could not find its files."""
    try:
        return can_map_nobody(
            *((Path("/proc/self") / name).read_text() for name in ("uid_map", "gid_map", "setgroups"))
        )
    except FileNotFoundError:
        return False


def _lower_priority() -> None:
    os.nice(_NICENESS)
    with contextlib.suppress(OSError):  # not writable in some containers; then the kernel chooses by memory use
        Path("/proc/self/oom_score_adj").write_text(str(_OOM_SCORE_ADJUSTMENT), encoding="ascii")


def _hand_files_to_nobody(source: str, folders: Sequence[str], arguments: list[str]) -> list[str] | None:
    """Return the arguments with /proc paths of open files. The source becomes readable for nobody, and nobody becomes
    the owner of the folders. None on a file system that does not change owners or modes: there the user is not changed.
    """
    try:
        names = _give_files_to_nobody(source, folders)
    except PermissionError:
        return None
    readable = source not in names or Path(source).stat().st_mode & stat.S_IROTH
    if not readable or any(Path(one).stat().st_uid != NOBODY_ID for one in names if one != source):
        return None
    return [_rewrite_path(one, names) for one in arguments]


def _give_files_to_nobody(source: str, folders: Sequence[str]) -> dict[str, str]:
    names = {}
    if source and (file := Path(source)).exists():
        if not (mode := file.stat().st_mode) & stat.S_IROTH:
            file.chmod(mode | stat.S_IROTH)
        names[source] = _open_proc_path(source)
    for folder in folders:
        if Path(folder).is_dir():
            _change_owner(folder, NOBODY_ID, NOBODY_ID, excluded=source)
            names[folder] = _open_proc_path(folder)
    return names


def _change_owner(folder: str, user: int, group: int, excluded: str = "") -> None:
    """Change the owner of the folder and its contents. Files removed meanwhile are skipped."""
    for entry in [*Path(folder).iterdir(), Path(folder)]:
        if str(entry) != excluded:
            with contextlib.suppress(FileNotFoundError):
                os.chown(entry, user, group, follow_symlinks=False)


def _open_proc_path(path: str) -> str:
    return f"/proc/self/fd/{os.open(path, os.O_PATH)}"


def _rewrite_path(argument: str, names: dict[str, str]) -> str:
    if argument in names:
        return names[argument]
    folder, _, name = argument.rpartition("/")
    return f"{names[folder]}/{name}" if folder in names else argument


def _become_nobody() -> None:
    os.setgroups([])
    os.setresgid(NOBODY_ID, NOBODY_ID, NOBODY_ID)
    os.setresuid(NOBODY_ID, NOBODY_ID, NOBODY_ID)


def _effective_capabilities() -> int:
    """The effective capabilities as a bit mask."""
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
