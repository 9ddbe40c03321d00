"""A decoder that was taken over reaches its file and its folder, and nothing else."""

import contextlib
import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from found_footy import health
from found_footy.platform.media import probe
from found_footy.platform.media.probe import MediaLimits, run_in_sandbox
from found_footy.platform.process import landlock, sandbox, seccomp
from found_footy.platform.process.runner import ProcessLimits
from found_footy.platform.process.sandbox import (
    NOBODY_ID,
    SandboxSupport,
    can_change_user,
    can_map_nobody,
    detect_sandbox_support,
    missing_protections,
)
from tests.support.patience import PATIENCE, PATIENCE_SECONDS

PROGRAMS = Path(__file__).parents[2] / "support" / "platform"
AS_ROOT = os.geteuid() == 0
WHOLE = detect_sandbox_support().landlock_abi >= 6 and detect_sandbox_support().has_seccomp
needs_walls = pytest.mark.skipif(not WHOLE, reason="this kernel lacks a part, and the product says so")
REFUSED = {"EACCES", "EPERM"}


@pytest.fixture
def ground() -> Iterator[Path]:
    """Secrets beside the video, of the same user and in folders that anybody may enter: no mode protects them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for part in ("out", "data"):
            (folder / part).mkdir()
        for secret in ("credentials.json", "cookies.json"):
            path = folder / "data" / secret
            path.write_text("hunter2")
            path.chmod(0o600)
        (folder / "data" / "page.txt").write_text("public")
        (folder / "clip.mp4").write_bytes(b"video")
        (folder / "clip.mp4").chmod(0o600)
        yield folder


@pytest.fixture
def targets(ground: Path) -> Iterator[dict[str, Any]]:
    """What there is to attack; somebody listens on every kind of socket."""
    with ExitStack() as stack:
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        named, abstract = (stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(2))
        named.bind(str(ground / "socket"))
        abstract.bind(f"\0{ground.name}")
        for listener in (named, abstract):
            listener.listen()
        (ground / "socket").chmod(0o777)
        secrets = [str(ground / "data" / name) for name in ("credentials.json", "cookies.json", "page.txt")]
        yield {
            "worker": os.getpid(),
            "port": tcp.getsockname()[1],
            "unix": str(ground / "socket"),
            "abstract": ground.name,
            "outside": secrets[-1],
            "above": str(ground),
            "read": [*secrets, f"/proc/{os.getpid()}/environ", f"/proc/{os.getpid()}/cmdline", "/etc/passwd"],
        }


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The children of this test find the programs here; everything else is as in a worker."""
    monkeypatch.setenv("PYTHONPATH", str(PROGRAMS))
    monkeypatch.setenv("S3_SECRET_KEY", "hunter2")
    probe._shared_fork_server.cache_clear()
    yield
    probe._shared_fork_server().close()
    probe._shared_fork_server.cache_clear()


def allowed(tries: dict[str, str]) -> dict[str, str]:
    return {name: what for name, what in tries.items() if what not in REFUSED}


@needs_walls
@pytest.mark.usefixtures("programs")
async def test_a_compromised_decoder_reaches_nothing_else(ground: Path, targets: dict[str, Any]) -> None:
    arguments: list[Path | str] = [ground / "clip.mp4", ground / "out", json.dumps(targets)]
    found = await run_in_sandbox("hostile_decoder", arguments, MediaLimits(timeout=PATIENCE), [ground / "out"])
    assert isinstance(found, dict), found
    assert allowed(found["tries"]) == {}
    assert len(found["tries"]) > 35
    assert found["source"] == len(b"video")
    assert found["user"] == (NOBODY_ID if AS_ROOT else os.geteuid())
    assert found["open"] == 3, "no socket, pipe or file of the worker or of another job"
    assert found["processes"] == [0, 0]
    made = ground / "out" / "made.txt"
    assert (made.read_text(), made.stat().st_uid) == ("made", os.geteuid()), "the worker's, as if it had written it"
    assert [path.name for path in made.parent.iterdir()] == ["made.txt"]


@needs_walls
@pytest.mark.skipif(not AS_ROOT, reason="any test that is not run by root shows it")
def test_a_compromised_decoder_of_an_ordinary_user_reaches_nothing_else(ground: Path, targets: dict[str, Any]) -> None:
    """All is its user's own, the victim too: a process that sleeps."""
    for path in [ground, *ground.rglob("*")]:
        os.chown(path, NOBODY_ID, NOBODY_ID)
    code = f"""
import json, os, sys, time
sys.path.insert(0, {str(PROGRAMS)!r})
import hostile_decoder
from found_footy.platform.process.sandbox import confine_process
from found_footy.platform.process.launcher import restrict_process
targets = json.loads(sys.argv[3])
nobody = {NOBODY_ID}
os.setgroups([]); os.setresgid(nobody, nobody, nobody); os.setresuid(nobody, nobody, nobody)
targets["worker"] = os.fork()
if targets["worker"] == 0:
    os.close(1), os.close(2), time.sleep(600)
targets["read"].append(f"/proc/{{targets['worker']}}/environ")
none = dict.fromkeys(("memory", "cpu_seconds", "file_size", "open_files", "processes"))
restrict_process(none, os.getppid())
assert hostile_decoder.start_threads(2) == 2
hostile_decoder.main(confine_process(sys.argv[1], [sys.argv[2]], [sys.argv[1], sys.argv[2], json.dumps(targets)]))
sys.stdout.flush()
assert hostile_decoder.start_threads(2) == 2, "threads are no processes"
"""
    arguments = [str(ground / "clip.mp4"), str(ground / "out"), json.dumps(targets)]
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as attacker:
        try:
            reported, complaints = attacker.communicate(timeout=PATIENCE_SECONDS)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(attacker.pid, signal.SIGKILL)
    found = json.loads(reported or b"{}")
    assert found, complaints.decode()
    assert allowed(found["tries"]) == {}
    assert found["user"] == NOBODY_ID


@pytest.mark.usefixtures("programs")
async def test_the_environment_of_a_decoder_has_no_secrets(ground: Path) -> None:
    code = "import json; print(json.dumps(dict(os.environ)))"
    found = await run_in_sandbox("forked_program", [code], MediaLimits(timeout=PATIENCE))
    assert isinstance(found, dict)
    assert set(found) <= {
        "PATH",
        "LANG",
        "TMPDIR",
        "HOME",
        "PYTHONPATH",
        "PYTHONHOME",
        "PYTHONUSERBASE",
        "LD_LIBRARY_PATH",
        "MALLOC_ARENA_MAX",
        "OPENBLAS_NUM_THREADS",
        "LC_CTYPE",
    }


@pytest.mark.skipif(sys.platform != "linux", reason="as the kernel tells it")
@pytest.mark.usefixtures("programs")
async def test_a_decoder_is_killed_before_a_server_when_memory_runs_out_and_has_lower_priority() -> None:
    code = "print('[%s, %d]' % (open('/proc/self/oom_score_adj').read().strip(), os.getpriority(os.PRIO_PROCESS, 0)))"
    own, limits = "/proc/self/oom_score_adj", ProcessLimits()
    done = await probe._shared_fork_server().run_module(
        "forked_program", [code], timeout=PATIENCE, limits=limits, max_output=100, source=own
    )
    score, nice = json.loads(done.stdout)
    assert (score, nice) == (1000, os.getpriority(os.PRIO_PROCESS, 0) + 3)


@pytest.mark.parametrize(
    "command", [["found_footy.platform.process.fork_server_child"], ["found_footy.cli", "version"]]
)
def test_a_module_in_the_working_directory_is_not_taken_for_ours(tmp_path: Path, command: list[str]) -> None:
    from found_footy.cli import programs as started

    for name in ("av.py", "json.py", "socket.py"):
        (tmp_path / name).write_text("import sys; sys.exit(99)")
    ours = started._cli_command(*command[1:]) if command[1:] else (sys.executable, *media_flags(), "-m", command[0])
    done = subprocess.run(ours, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode != 99, done.stderr


def media_flags() -> list[str]:
    from found_footy.platform.process import fork_server

    return list(fork_server.PYTHON_FLAGS)


def test_missing_restrictions_are_reported() -> None:
    assert missing_protections(SandboxSupport(landlock_abi=7, has_seccomp=True, is_root=False)) == []
    assert "Landlock" in missing_protections(SandboxSupport(landlock_abi=0, has_seccomp=True, is_root=False))[0]
    assert "seccomp" in missing_protections(SandboxSupport(landlock_abi=1, has_seccomp=False, is_root=False))[0]


def test_the_log_says_which_restrictions_are_missing_and_that_root_runs(caplog: pytest.LogCaptureFixture) -> None:
    from found_footy.cli.worker import warn_of_exposed_decoder

    warn_of_exposed_decoder(SandboxSupport(landlock_abi=7, has_seccomp=True, is_root=False))
    assert not caplog.records
    warn_of_exposed_decoder(SandboxSupport(landlock_abi=7, has_seccomp=True, is_root=True))
    assert "runs as root" in caplog.text
    warn_of_exposed_decoder(SandboxSupport(landlock_abi=0, has_seccomp=True, is_root=False))
    assert "no Landlock" in caplog.text
    assert all(record.levelname == "WARNING" for record in caplog.records)


async def test_doctor_and_the_health_page_report_missing_restrictions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sandbox, "detect_sandbox_support", lambda: SandboxSupport(landlock_abi=0, has_seccomp=True, is_root=True)
    )
    row = await health.check_decoder()
    assert row.ok, "clips come all the same"
    assert "no Landlock" in row.detail
    assert "runs as root" in row.detail
    assert "ordinary user" in row.remedy


def test_every_version_of_landlock_gets_all_rights_that_it_knows() -> None:
    reported = {version: landlock.build_ruleset(version) for version in range(1, 9)}
    assert [len(one) // 8 for one in reported.values()] == [1, 1, 1, 2, 2, 3, 3, 3]
    files = [int.from_bytes(one[:8], sys.byteorder) for one in reported.values()]
    assert files == [2**13 - 1, 2**14 - 1, 2**15 - 1, 2**15 - 1, 2**16 - 1, 2**16 - 1, 2**16 - 1, 2**16 - 1]


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_ends_every_path_and_jumps_forward_only(machine: str) -> None:
    program = seccomp.build_filter(machine, 4711)
    assert len(program) < 4096, "as long as a filter may be"
    for place, (code, yes, no, _) in enumerate(program):
        assert place + 1 + max(yes, no) < len(program) or code == 0x06
    assert program[-1] == (0x06, 0, 0, 0x7FFF0000)


HEADERS = {"x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "aarch64": "/usr/include/asm-generic/unistd.h"}


@pytest.mark.parametrize("machine", HEADERS)
def test_system_calls_have_the_numbers_that_the_kernel_gives_them(machine: str) -> None:
    header = Path(HEADERS[machine])
    if not header.exists():
        pytest.skip("the kernel's headers are not installed")
    words = [line.split()[1:3] for line in header.read_text().splitlines() if line.startswith(("#define __NR",))]
    numbers = {w[0].removeprefix("__NR3264_").removeprefix("__NR_"): w[1] for w in words if w[1:] and w[1].isdigit()}
    column = list(HEADERS).index(machine)
    for name, ours in {
        **seccomp._DENIED_CALLS,
        **seccomp._SELF_ONLY_CALLS,
        "clone": seccomp._CLONE,
        **seccomp._SIGNAL_OWNER_CALLS,
    }.items():
        assert name not in numbers or numbers[name] == str(ours[column]), name
        assert name in numbers or ours[column] in (0, 452), name


def test_root_without_capabilities_keeps_its_user() -> None:
    assert can_change_user(2**41 - 1)
    assert not can_change_user(2**41 - 1 - 2**7)
    assert not can_change_user(0)


def test_without_a_nobody_user_the_user_stays() -> None:
    whole, root_alone = "0 0 4294967295\n", "0 1000 1\n"
    rootless = "0 1000 1\n1 100000 65536\n"
    assert can_map_nobody(whole, whole, "allow\n")
    assert can_map_nobody(rootless, rootless, "allow\n")
    assert not can_map_nobody(root_alone, root_alone, "allow\n")
    assert not can_map_nobody(whole, root_alone, "allow\n")
    assert not can_map_nobody(whole, whole, "deny\n")
    assert not can_map_nobody("", whole, "allow\n")


A_CLIP_OF_OUR_OWN = """
import asyncio, sys, tempfile
from pathlib import Path
from found_footy.platform.media.self_test import can_decode_reference
with tempfile.TemporaryDirectory() as folder:
    sys.exit(0 if asyncio.run(can_decode_reference(Path(folder))) else 7)
"""


def test_a_root_of_a_namespace_without_other_users_decodes() -> None:
    alone = ["unshare", "--user", "--map-root-user"]
    if not shutil.which("unshare") or subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip("user namespaces cannot be made here")
    done = subprocess.run([*alone, sys.executable, "-c", A_CLIP_OF_OUR_OWN], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


LACKING = {
    "no Landlock": "landlock._CREATE_RULESET = 100_000",
    "no Landlock, by another error": "landlock._VERSION_FLAG = 2**20",
    "no filters": "seccomp._SECCOMP_MODE_FILTER = 77",
    "owners cannot be changed": "os.chown = refused",
    "owners do not change": "os.chown = lambda *_, **__: None",
    "modes cannot be changed": "Path.chmod = refused",
}


@pytest.mark.parametrize("lacking", LACKING)
def test_what_a_machine_lacks_refuses_no_clip(ground: Path, lacking: str) -> None:
    """A child that is shut in as far as the machine can still reads its source and writes into its folder."""
    code = f"""
import os, sys
from pathlib import Path
from found_footy.platform.process import landlock, sandbox, seccomp
from found_footy.platform.process.launcher import restrict_process
if os.geteuid() == 0:
    os.setgroups([4, 24])
def refused(*_, **__):
    raise PermissionError(1, "not here")
{LACKING[lacking]}
print(sandbox.missing_protections(sandbox.detect_sandbox_support()))
os.setsid()
restrict_process(dict.fromkeys(("memory", "cpu_seconds", "file_size", "open_files", "processes")), os.getppid())
source, folder = sandbox.confine_process(sys.argv[1], [sys.argv[2]], sys.argv[1:])
assert Path(source).read_bytes() == b"video"
(Path(folder) / "made.txt").write_text("made")
assert sandbox._effective_capabilities() == 0, "whoever it is has no rights of root"
assert os.geteuid() == 0 or {AS_ROOT} is False or os.getgroups() == [], "nobody is in no group of root's"
sys.stdout.flush()
"""
    arguments = [str(ground / "clip.mp4"), str(ground / "out")]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert (ground / "out" / "made.txt").read_text() == "made"
    assert ("no Landlock" in done.stdout.decode()) is ("Landlock" in lacking)
    assert ("no seccomp" in done.stdout.decode()) is ("filters" in lacking)


def test_libraries_are_outside_the_data_directory() -> None:
    assert Path(sys.prefix) not in sandbox._READABLE_PATHS
    assert Path.cwd() not in sandbox._READABLE_PATHS
    assert shutil.which("sh")
    assert platform.machine() in seccomp._ARCHITECTURES or not seccomp.is_available()
