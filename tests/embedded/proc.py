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


def _sockets(pid: int) -> set[str]:
    links = []
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            links.append(str(descriptor.readlink()))
        except FileNotFoundError:  # closed meanwhile
            continue
    return {link.removeprefix("socket:[").removesuffix("]") for link in links if link.startswith("socket:[")}
