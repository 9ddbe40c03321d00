"""Runs the steps of deploy/Dockerfile in a clean Debian, then worker and page from what they made.

    sudo make image-test            needs root, debootstrap (apt install debootstrap) and the network

There is no container engine in it: each stage is a copy of a Debian that debootstrap installed, with Debian's Python of
the base image's version, and RUN is a chroot. The instructions are read from the Dockerfile, not repeated here; an
unknown one ends the test. At the end the processes run as the image's user on a read-only root, against the embedded
servers of this checkout.
"""

import argparse
import asyncio
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform.free_port import find_free_port

ROOT = Path(__file__).resolve().parents[1]
DOCKERFILE = ROOT / "deploy" / "Dockerfile"
MIRROR = "http://deb.debian.org/debian"
# What the base image has that a minimal Debian lacks.
PACKAGES = "python-is-python3,python3-venv,ca-certificates"
SUITE = re.compile(r"^python:3\.\d+-slim-(\w+)$")
# They describe the image for an engine and change no file.
SILENT_INSTRUCTIONS = {"VOLUME", "EXPOSE", "STOPSIGNAL"}
CERTIFICATES = "/etc/ssl/certs/image-test.crt"
DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
READY_SECONDS = 180
STOP_SECONDS = 60


@dataclass
class ImageStage:
    """One FROM: its file system, and what the instructions set."""

    root: Path
    env: dict[str, str] = field(default_factory=lambda: {"PATH": DEFAULT_PATH, "HOME": "/root"})
    user: str = "0:0"
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)


def read_instructions(text: str) -> Iterator[tuple[str, str]]:
    """Yield each instruction with its arguments, continued lines joined and comments left out."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in re.sub(r"\\\n\s*", " ", "\n".join(lines)).splitlines():
        if line.strip():
            name, _, rest = line.strip().partition(" ")
            yield name.upper(), rest.strip()


def fill_in(text: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\$\{(\w+)\}", lambda found: values.get(found[1], ""), text)


class ImageBuilder:
    """`make_root` returns a new, clean file system for a stage; `run_env` is set for its RUN instructions alone."""

    def __init__(
        self,
        context: Path,
        make_root: Callable[[str, str], Path],
        build_args: Mapping[str, str],
        run_env: Mapping[str, str],
    ) -> None:
        self._context = context
        self._run_env = run_env
        self._make_root = make_root
        self._arguments = dict(build_args)
        self._stages: dict[str, ImageStage] = {}
        self.current: ImageStage | None = None

    def build(self, text: str) -> ImageStage:
        for name, rest in read_instructions(text):
            print(f"{name} {rest[:100]}", flush=True)
            self._apply(name, rest)
        return self._require_stage()

    def _require_stage(self) -> ImageStage:
        if self.current is None:
            raise SystemExit("the Dockerfile has an instruction before its first FROM")
        return self.current

    def _apply(self, name: str, rest: str) -> None:
        if name == "ARG":
            variable, _, default = rest.partition("=")
            self._arguments.setdefault(variable, default.strip('"'))
            return
        if name == "FROM":
            image, _, label = fill_in(rest, self._arguments).partition(" AS ")
            self.current = ImageStage(self._make_root(image, label or "final"))
            self._stages[label or "final"] = self.current
            return
        stage = self._require_stage()
        if name == "RUN":
            run_in(stage, ["sh", "-c", rest], self._run_env)
        elif name == "COPY":
            self._copy(stage, shlex.split(rest))
        elif name == "ENV":
            pairs = shlex.split(rest)
            known = {**stage.env, **self._arguments}
            stage.env |= {key: fill_in(value, known) for key, _, value in (pair.partition("=") for pair in pairs)}
        elif name == "USER":
            stage.user = rest
            stage.env["HOME"] = find_home(stage.root, rest.partition(":")[0])
        elif name == "ENTRYPOINT":
            stage.entrypoint = json.loads(rest)
        elif name == "CMD":
            stage.command = json.loads(rest)
        elif name not in SILENT_INSTRUCTIONS:
            raise SystemExit(f"this script does not know the instruction {name}")

    def _copy(self, stage: ImageStage, words: list[str]) -> None:
        source_root = self._context
        if words[0].startswith("--from="):
            source_root = self._stages[words.pop(0).removeprefix("--from=")].root
        *sources, target = words
        for source in sources:
            origin = source_root / source.lstrip("/")
            into = stage.root / target.lstrip("/")
            # As Docker copies: the contents of a directory, or a file into a target that ends with a slash.
            place = into / origin.name if target.endswith("/") else into
            place.parent.mkdir(parents=True, exist_ok=True)
            if origin.is_dir():
                shutil.copytree(origin, into, symlinks=True, dirs_exist_ok=True, ignore=ignore_caches)
            else:
                shutil.copy2(origin, place)


def find_home(root: Path, user: str) -> str:
    """As an engine does for a user by number: from the image's passwd."""
    rows = [line.split(":") for line in (root / "etc" / "passwd").read_text(encoding="utf-8").splitlines()]
    return next((row[5] for row in rows if user in (row[0], row[2])), "/")


def ignore_caches(folder: str, names: list[str]) -> set[str]:
    """As .dockerignore; but not inside the environment that a stage has made."""
    return {"__pycache__"} & set(names) if folder.startswith(str(ROOT)) else set()


def run_in(stage: ImageStage, argv: list[str], env: Mapping[str, str]) -> None:
    user, _, group = stage.user.partition(":")
    command = ["chroot", f"--userspec={user}:{group or user}", str(stage.root), *argv]
    subprocess.run(command, env={**stage.env, **env}, check=True, stdin=subprocess.DEVNULL)


def make_base(cache: Path, suite: str) -> Path:
    """Install a minimal Debian once; later runs copy it."""
    base = cache / suite
    if not (base / "etc" / "debian_version").exists():
        cache.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(dir=cache))
        argv = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", suite, str(partial), MIRROR]
        subprocess.run(argv, check=True)
        partial.rename(base)
    return base


def copy_base(base: Path, folder: Path, image: str, label: str, certificates: Path | None) -> Path:
    root = folder / label
    subprocess.run(["cp", "-a", "--reflink=auto", str(base), str(root)], check=True)
    # The engine gives a container the machine's resolver.
    shutil.copy2("/etc/resolv.conf", root / "etc" / "resolv.conf")
    if certificates:
        shutil.copy2(certificates, root / CERTIFICATES.lstrip("/"))
    found = subprocess.run(["chroot", str(root), "python", "--version"], check=True, capture_output=True, text=True)
    wanted = image.partition(":")[2].partition("-")[0]
    if not found.stdout.startswith(f"Python {wanted}."):
        raise SystemExit(f"{image} has Python {wanted}, this Debian has {found.stdout}")
    return root


def start_in(stage: ImageStage, command: list[str], env: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
    """Start the image's entry point as its user, on a read-only root with a writable /data and /tmp."""
    user, _, group = stage.user.partition(":")
    root = shlex.quote(str(stage.root))
    script = (
        f"mount --bind {root} {root} && mount -o remount,bind,ro {root} && "
        f"mount -t tmpfs -o mode=1777 tmpfs {root}/tmp && "
        f"mount -t tmpfs -o mode=0700,uid={user},gid={group} tmpfs {root}/data && "
        f"mount -t proc proc {root}/proc && mount --rbind /dev {root}/dev && "
        f'exec chroot --userspec={user}:{group} {root} "$@"'
    )
    argv = ["unshare", "--mount", "sh", "-c", script, "sh", *stage.entrypoint, *command]
    with log.open("wb") as out:
        return subprocess.Popen(argv, env={**stage.env, **env}, stdin=subprocess.DEVNULL, stdout=out, stderr=out)


def await_answer(url: str, process: subprocess.Popen[bytes], log: Path) -> str:
    """Return the first answer of `url`; end with the log if the process ends or is too slow."""
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return str(answer.read(10**6), "utf-8")
        except OSError:
            time.sleep(0.5)
    raise SystemExit(f"no answer of {url}; exit code {process.poll()}:\n{log.read_text()[-4000:]}")


def await_line(text: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while text not in log.read_text():
        if time.monotonic() > deadline or process.poll() is not None:
            raise SystemExit(f"no line with {text}:\n{log.read_text()[-4000:]}")
        time.sleep(0.5)


def stop(name: str, process: subprocess.Popen[bytes], log: Path) -> None:
    process.send_signal(signal.SIGTERM)
    begun = time.monotonic()
    code = process.wait(STOP_SECONDS)
    print(f"{name}: stopped in {time.monotonic() - begun:.1f} s with exit code {code}", flush=True)
    if "Traceback" in log.read_text():
        raise SystemExit(log.read_text()[-4000:])


def server_environment(endpoints: PlatformEndpoints) -> dict[str, str]:
    return {
        "MONGODB_URI": endpoints.mongodb_uri,
        "TEMPORAL_ADDRESS": endpoints.temporal_address,
        "S3_ENDPOINT": endpoints.s3_endpoint,
        "S3_ACCESS_KEY": endpoints.s3_access_key,
        "S3_SECRET_KEY": endpoints.s3_secret_key,
        "NATS_URL": endpoints.nats_url,
    }


async def run_processes(stage: ImageStage, folder: Path) -> None:
    """Worker and page of the image answer, and end when they are told to."""
    async with Supervisor(folder / "servers", abrupt=True) as supervisor:
        servers = server_environment(supervisor.endpoints)
        metrics, page = find_free_port(), find_free_port()
        worker_log, page_log = folder / "worker.log", folder / "web.log"
        begun = time.monotonic()
        worker = start_in(stage, stage.command, {**servers, "FOOTY_METRICS__PORT": str(metrics)}, worker_log)
        web_env = {**servers, "FOOTY_WEB__PORT": str(page), "FOOTY_METRICS__PORT": "0"}
        web = start_in(stage, ["web"], web_env, page_log)
        try:
            text = await asyncio.to_thread(await_answer, f"http://127.0.0.1:{metrics}/metrics", worker, worker_log)
            print(
                f"worker: {len(text.splitlines())} lines of metrics after {time.monotonic() - begun:.1f} s", flush=True
            )
            await asyncio.to_thread(await_line, "worker_ready", worker, worker_log)
            print(f"worker: ready after {time.monotonic() - begun:.1f} s", flush=True)
            await asyncio.to_thread(await_answer, f"http://127.0.0.1:{page}/", web, page_log)
            print(f"web: the page is served after {time.monotonic() - begun:.1f} s", flush=True)
        finally:
            for name, process, log in (("worker", worker, worker_log), ("web", web, page_log)):
                await asyncio.to_thread(stop, name, process, log)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--cache", type=Path, default=Path("/var/tmp/found-footy-image-test"), help="where Debian is kept"
    )
    parser.add_argument("--certificates", type=Path, help="PEM file for a network whose proxy has its own authority")
    parser.add_argument("--keep", action="store_true", help="leave the stages for a look")
    options = parser.parse_args()
    if os.geteuid() != 0:
        raise SystemExit("chroot needs root: sudo make image-test")
    text = DOCKERFILE.read_text(encoding="utf-8")
    folder = Path(tempfile.mkdtemp(prefix="image-test-", dir="/var/tmp"))

    def make_root(image: str, label: str) -> Path:
        suite = SUITE.match(image)
        if not suite:
            raise SystemExit(f"{image}: this script knows Debian's slim images of Python alone")
        return copy_base(make_base(options.cache, suite[1]), folder, image, label, options.certificates)

    try:
        begun = time.monotonic()
        run_env = {"PIP_CERT": CERTIFICATES} if options.certificates else {}
        stage = ImageBuilder(ROOT, make_root, {"COMMIT": "image-test"}, run_env).build(text)
        size = sum(path.lstat().st_size for path in (stage.root / "opt").rglob("*"))
        print(f"built in {time.monotonic() - begun:.0f} s; /opt has {size / 2**20:.0f} MB", flush=True)
        run_in(stage, [*stage.entrypoint, "version"], {})
        asyncio.run(run_processes(stage, folder))
        print("the image's processes run")
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
