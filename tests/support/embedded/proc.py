"""What /proc tells about processes, read independently of the product."""

from pathlib import Path

_LISTEN = "0A"


def command_line(pid: int) -> str:
    try:
        return (Path("/proc") / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def processes_of(data_dir: Path) -> dict[int, str]:
    """Every living process with `data_dir` in its command line."""
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return {pid: line for pid in pids if str(data_dir) in (line := command_line(pid))}


def listening_addresses(pid: int) -> set[str]:
    """The hexadecimal addresses on which `pid` listens, as the kernel writes them."""
    sockets = _sockets(pid)
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == _LISTEN and fields[9] in sockets:
                found.add(fields[1].partition(":")[0])
    return found


def listening_ports(pid: int) -> set[int]:
    """The TCP ports on which `pid` listens, at whatever address; none if it has just ended."""
    try:
        sockets = _sockets(pid)
        tables = [Path(f"/proc/{pid}/net/{table}").read_text() for table in ("tcp", "tcp6")]
    except (FileNotFoundError, ProcessLookupError):
        return set()
    lines = [line.split() for table in tables for line in table.splitlines()[1:]]
    return {int(line[1].rpartition(":")[2], 16) for line in lines if line[3] == _LISTEN and line[9] in sockets}


def children_of(pid: int) -> list[int]:
    """The living processes that `pid` or one of its children has started."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]


def environment_of(pid: int) -> str:
    """As it was started with, empty if it has just ended."""
    try:
        return (Path("/proc") / str(pid) / "environ").read_bytes().decode(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _sockets(pid: int) -> set[str]:
    links = []
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            links.append(str(descriptor.readlink()))
        except FileNotFoundError:  # closed meanwhile
            continue
    return {link.removeprefix("socket:[").removesuffix("]") for link in links if link.startswith("socket:[")}
