"""A program in the place of a compromised decoder: it tries to reach what it must not, and reports each result.

`SOURCE FOLDER TARGETS`, the last as JSON. Prints one JSON object: for each try the name of the error, or `done`.
"""

import ctypes
import errno
import fcntl
import json
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

_PTRACE_ATTACH = 16
_LIBC = ctypes.CDLL(None, use_errno=True)


def main(arguments: list[str]) -> int:
    source, folder, targets = arguments[0], Path(arguments[1]), json.loads(arguments[2])
    # The source first, which must be readable; and the folder, which must take a file.
    found: dict[str, Any] = {"source": len(Path(source).read_bytes()), "user": os.geteuid(), "open": _open_files()}
    (folder / "made.txt").write_text("made")
    found["processes"] = resource.getrlimit(resource.RLIMIT_NPROC)
    found["tries"] = {name: _tried(attempt) for name, attempt in _attempts(source, folder, targets).items()}
    sys.stdout.write(json.dumps(found))
    return 0


def _attempts(source: str, folder: Path, targets: dict[str, Any]) -> dict[str, Callable[[], object]]:
    worker, port = targets["worker"], targets["port"]
    return {
        **{f"read {path}": Path(path).read_bytes for path in targets["read"]},
        "list the folder above": lambda: list(Path(targets["above"]).iterdir()),
        "write outside": lambda: Path(targets["outside"]).write_text("x"),
        "make a file outside": lambda: Path(targets["outside"] + ".new").write_text("x"),
        "delete outside": Path(targets["outside"]).unlink,
        "change the source": lambda: Path(source).open("ab"),
        "change a mode": lambda: Path(targets["outside"]).chmod(0o640),
        "change times": lambda: os.utime(targets["outside"]),
        "cut a file": lambda: os.truncate(targets["outside"], 0),
        "leave a link": lambda: (folder / "link").symlink_to(targets["outside"]),
        "leave a hard link": lambda: os.link(targets["outside"], folder / "hard"),
        "leave a pipe": lambda: os.mkfifo(folder / "pipe"),
        "move a file in": lambda: Path(targets["outside"]).rename(folder / "moved"),
        "TCP": lambda: socket.socket().connect(("127.0.0.1", port)),
        "UDP": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", port)),
        "UNIX socket": lambda: socket.socket(socket.AF_UNIX).connect(targets["unix"]),
        "abstract socket": lambda: socket.socket(socket.AF_UNIX).connect("\0" + targets["abstract"]),
        "raw socket": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
        "become a shell": lambda: os.execv("/bin/sh", ["sh", "-c", "exit 0"]),  # noqa: S606
        "start a shell": lambda: os.posix_spawn("/bin/sh", ["sh", "-c", "exit 0"], {}),
        "start a program": lambda: subprocess.run(["/bin/sleep", "0"], check=True),
        "fork": _forked,
        "leave the session": os.setsid,
        "leave the group": lambda: os.setpgid(0, 0),
        "signal": lambda: os.kill(worker, signal.SIGURG),
        "signal everybody": lambda: os.kill(-1, signal.SIGURG),
        "signal by handle": lambda: os.pidfd_open(worker),
        "attach": lambda: _called(_LIBC.ptrace(_PTRACE_ATTACH, worker, 0, 0)),
        "read memory": lambda: _called(_LIBC.process_vm_readv(worker, None, 0, None, 0, 0)),
        "outlive the parent": lambda: _called(_LIBC.prctl(1, 0, 0, 0, 0)),
        "limits of another": lambda: resource.prlimit(worker, resource.RLIMIT_NOFILE, (64, 64)),
        "namespaces": lambda: _called(_LIBC.unshare(0x10000000)),
        "mount": lambda: _called(_LIBC.mount(b"none", bytes(folder), b"tmpfs", 0, None)),
        "keys": lambda: _called(_LIBC.syscall(_number("keyctl"), 0, -3, 0)),
        "bpf": lambda: _called(_LIBC.syscall(_number("bpf"), 0, None, 0)),
        "io_uring": lambda: _called(_LIBC.syscall(425, 1, ctypes.create_string_buffer(120))),
        "signal by a file": lambda: fcntl.fcntl(1, fcntl.F_SETOWN, worker),
        "signal by a file, as said otherwise": lambda: fcntl.fcntl(1, 15, struct.pack("=ii", 1, worker)),
        "kill by a file": lambda: fcntl.fcntl(1, fcntl.F_SETSIG, signal.SIGKILL),
        "be told of changes": lambda: fcntl.fcntl(1, fcntl.F_NOTIFY, 0),
        "signal by a device": lambda: fcntl.ioctl(1, 0x8901, struct.pack("=i", worker)),
        "signal by a socket": lambda: fcntl.ioctl(1, 0x8902, struct.pack("=i", worker)),
        "memory that no limit counts": lambda: os.memfd_create("x"),
        "disk at once": lambda: _filled(folder / "made.txt"),
        "pipes of the page cache": lambda: _called(_LIBC.splice(0, None, 1, None, 1, 0)),
        "shared memory": lambda: _called(_LIBC.shmget(0, 4096, 0o1666)),
    }


def _open_files() -> int:
    """How many files it has that can be read or written; those that only stand for a path cannot."""
    usable = 0
    for number in range(64):
        try:
            flags = fcntl.fcntl(number, fcntl.F_GETFL)
        except OSError:
            continue
        usable += not flags & os.O_PATH
    return usable


def _tried(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    return "done"


def _filled(file: Path) -> None:
    with file.open("ab") as opened:
        _called(_LIBC.fallocate(opened.fileno(), 1, 0, 4096))


def _forked() -> None:
    if os.fork() == 0:
        os._exit(0)


def _called(answer: int) -> None:
    if answer < 0:
        raise OSError(ctypes.get_errno(), "refused")


def _number(name: str) -> int:
    return {"keyctl": (250, 219), "bpf": (321, 280)}[name][os.uname().machine == "aarch64"]


def start_threads(count: int) -> int:
    """Not an attack: what a library may do where its user has processes left."""
    threads = [threading.Thread(target=int) for _ in range(count)]
    for thread in threads:
        thread.start()
    return len(threads)
