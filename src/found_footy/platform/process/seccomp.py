"""A seccomp filter for a process that only computes and reads and writes its permitted files.

The kernel runs the filter, a classic BPF program, at every system call. It rejects with EPERM: creating or using
sockets, starting programs or processes, accessing other processes, changing owners, modes or times of files (which
Landlock does not cover), and kernel subsystems that no decoder needs and that exploits use. Threads can be started. The
filter exists for x86-64 and 64-bit ARM only.
"""

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Sequence

# Name: number on x86-64 and on 64-bit ARM; 0 where the call does not exist or is allowed.
_DENIED_CALLS = {
    # the network, and sockets of this machine
    "socket": (41, 198),
    "socketpair": (53, 199),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    # programs and processes
    "execve": (59, 221),
    "execveat": (322, 281),
    "fork": (57, 0),
    "vfork": (58, 0),
    "setsid": (112, 157),
    "setpgid": (109, 154),
    "unshare": (272, 97),
    "setns": (308, 268),
    # other processes
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438),
    "ptrace": (101, 117),
    "kcmp": (312, 272),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "prctl": (157, 167),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # memory shared by name
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    # file attributes, which Landlock does not govern
    "chmod": (90, 0),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, 0),
    "fchown": (93, 55),
    "lchown": (94, 0),
    "fchownat": (260, 54),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "utime": (132, 0),
    "utimes": (235, 0),
    "futimesat": (261, 0),
    "utimensat": (280, 88),
    "truncate": (76, 45),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "inotify_init": (253, 0),
    "inotify_init1": (294, 26),
    # disk and memory beyond the limits, or not counted by them
    "fallocate": (285, 47),
    "memfd_create": (319, 279),
    # links: whoever collects the files would follow them
    "symlink": (88, 0),
    "symlinkat": (266, 36),
    "link": (86, 0),
    "linkat": (265, 37),
    "mknod": (133, 0),
    "mknodat": (259, 33),
    "mkdir": (83, 0),
    "mkdirat": (258, 34),
    # mounts
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    # kernel subsystems
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "iopl": (172, 0),
    "ioperm": (173, 0),
    "personality": (135, 92),
    "syslog": (103, 116),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "modify_ldt": (154, 0),
    "lookup_dcookie": (212, 18),
    "memfd_secret": (447, 447),
    "vhangup": (153, 58),
    "splice": (275, 76),
    "vmsplice": (278, 75),
    "tee": (276, 77),
}
# Allowed on this process itself, which their first argument names: its pid, or 0 for some.
_SELF_ONLY_CALLS = {"kill": (62, 129), "tgkill": (234, 131), "prlimit64": (302, 261)}
# Calls that set a process to be signalled when a file is ready, by their second argument: its owner, and which signal.
_SIGNAL_OWNER_CALLS = {"fcntl": (72, 25), "ioctl": (16, 29)}
_F_SETOWN, _F_SETSIG, _F_SETOWN_EX, _F_NOTIFY, _FIOSETOWN, _SIOCSPGRP = 8, 10, 15, 1026, 0x8901, 0x8902
_DENIED_COMMANDS = {"fcntl": (_F_SETOWN, _F_SETSIG, _F_SETOWN_EX, _F_NOTIFY), "ioctl": (_FIOSETOWN, _SIOCSPGRP)}
_CLONE = (56, 220)
_CLONE3 = (435, 435)  # its flags are in memory, which a filter cannot read; without it, libraries use clone
_MAX_KNOWN_CALL = 462  # calls of newer kernels and of the x32 ABI fail with ENOSYS
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

_CLONE_THREAD = 0x00010000
_NUMBER_OFFSET, _ARCHITECTURE_OFFSET, _FIRST_ARGUMENT_OFFSET, _SECOND_ARGUMENT_OFFSET = (
    0,
    4,
    16,
    24,
)  # offsets in seccomp_data
_LOAD, _JUMP_EQUAL, _JUMP_GREATER, _JUMP_BITS, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2

BpfInstruction = tuple[int, int, int, int]  # code, jump offset if true, if false, operand


def is_available() -> bool:
    """Whether the kernel accepts filters and there is one for this architecture."""
    if sys.platform != "linux" or platform.machine() not in _ARCHITECTURES:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, None, 0, 0)
    return result < 0 and ctypes.get_errno() == errno.EFAULT  # it tried to read the filter, which is NULL


def deny_system_calls() -> None:
    """Install the filter permanently. The process must have no_new_privs and no other thread."""
    instructions = build_filter(platform.machine(), os.getpid())
    code = b"".join(struct.pack("=HBBI", *one) for one in instructions)
    buffer = ctypes.create_string_buffer(code)
    filter_program = struct.pack("@HP", len(instructions), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, filter_program, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp: {os.strerror(number)}")


def build_filter(machine: str, process: int) -> list[BpfInstruction]:
    """Build the filter's instructions for the process with this pid."""
    column, architecture = _ARCHITECTURES[machine]
    denied = [numbers[column] for numbers in _DENIED_CALLS.values() if numbers[column]]
    return [
        (_LOAD, 0, 0, _ARCHITECTURE_OFFSET),
        (_JUMP_EQUAL, 1, 0, architecture),
        _deny(errno.EPERM),  # other architectures have other call numbers
        (_LOAD, 0, 0, _NUMBER_OFFSET),
        *_if_greater(_MAX_KNOWN_CALL, [_deny(errno.ENOSYS)]),
        *_if_equal(_CLONE3[column], [_deny(errno.ENOSYS)]),
        *_if_equal(_CLONE[column], _ALLOW_ONLY_THREADS),
        *(
            one
            for numbers in _SELF_ONLY_CALLS.values()
            for one in _if_equal(numbers[column], _allow_only_self(process))
        ),
        *(
            one
            for name, numbers in _SIGNAL_OWNER_CALLS.items()
            for one in _if_equal(numbers[column], _allow_unless(_DENIED_COMMANDS[name]))
        ),
        *(one for number in denied for one in _if_equal(number, [_deny(errno.EPERM)])),
        _allow(),
    ]


_ALLOW_ONLY_THREADS = [
    (_LOAD, 0, 0, _FIRST_ARGUMENT_OFFSET),
    (_JUMP_BITS, 1, 0, _CLONE_THREAD),
    (_RETURN, 0, 0, _ERRNO | errno.EPERM),
    (_RETURN, 0, 0, _ALLOW),
]


def _allow_only_self(process: int) -> list[BpfInstruction]:
    """0 means this process for limits, and its process group, of which it is the only member, for signals."""
    return [
        (_LOAD, 0, 0, _FIRST_ARGUMENT_OFFSET),
        (_JUMP_EQUAL, 2, 0, process),
        (_JUMP_EQUAL, 1, 0, 0),
        _deny(errno.EPERM),
        _allow(),
    ]


def _allow_unless(denied: Sequence[int]) -> list[BpfInstruction]:
    """Allow unless the second argument is one of these."""
    refusals = [one for value in denied for one in _if_equal(value, [_deny(errno.EPERM)])]
    return [(_LOAD, 0, 0, _SECOND_ARGUMENT_OFFSET), *refusals, _allow()]


def _if_equal(number: int, then: Sequence[BpfInstruction]) -> list[BpfInstruction]:
    return [(_JUMP_EQUAL, 0, len(then), number), *then]


def _if_greater(number: int, then: Sequence[BpfInstruction]) -> list[BpfInstruction]:
    return [(_JUMP_GREATER, 0, len(then), number), *then]


def _deny(error: int) -> BpfInstruction:
    return (_RETURN, 0, 0, _ERRNO | error)


def _allow() -> BpfInstruction:
    return (_RETURN, 0, 0, _ALLOW)
