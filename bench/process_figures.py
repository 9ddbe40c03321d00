"""What a process of a bench uses, read from the kernel: a crowded machine does not change what work costs."""

import os
from multiprocessing.process import BaseProcess
from pathlib import Path


def read_resident_bytes(process: BaseProcess) -> int:
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def read_cpu_seconds(process: BaseProcess) -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
