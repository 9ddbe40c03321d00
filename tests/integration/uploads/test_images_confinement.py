"""An image decoder that was taken over reaches its file and its folder, and nothing else."""

import json
import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from found_footy.platform.media import image_decoder, probe
from found_footy.platform.media.image_decoder import ImageLimits, _build_child_limits, decode_image
from found_footy.platform.media.probe import MediaLimits, run_in_sandbox
from found_footy.platform.process.sandbox import NOBODY_ID, detect_sandbox_support
from tests.support.patience import PATIENCE
from tests.support.uploads.pictures import ordinary_files

PROGRAMS = Path(__file__).parents[2] / "support" / "platform"
AS_ROOT = os.geteuid() == 0
WHOLE = detect_sandbox_support().landlock_abi >= 6 and detect_sandbox_support().has_seccomp
needs_whole_sandbox = pytest.mark.skipif(not WHOLE, reason="this kernel lacks a part, and the product says so")
LIMITS = replace(ImageLimits(), timeout=PATIENCE)


@pytest.fixture
def ground() -> Iterator[Path]:
    """A secret of the same user beside the picture, in folders that anybody may enter."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for part in ("out", "data"):
            (folder / part).mkdir()
        (folder / "data" / "credentials.json").write_text("hunter2")
        (folder / "data" / "page.txt").write_text("public")
        (folder / "picture").write_bytes(ordinary_files()["image/png"])
        yield folder


@pytest.fixture
def targets(ground: Path) -> Iterator[dict[str, Any]]:
    with ExitStack() as stack:
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        named, abstract = (stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(2))
        named.bind(str(ground / "socket"))
        abstract.bind(f"\0{ground.name}")
        for listener in (named, abstract):
            listener.listen()
        (ground / "socket").chmod(0o777)
        yield {
            "worker": os.getpid(),
            "port": tcp.getsockname()[1],
            "unix": str(ground / "socket"),
            "abstract": ground.name,
            "outside": str(ground / "data" / "page.txt"),
            "above": str(ground),
            "read": [str(ground / "data" / "credentials.json"), f"/proc/{os.getpid()}/environ", "/etc/passwd"],
        }


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PYTHONPATH", str(PROGRAMS))
    monkeypatch.setenv("FOOTY_UPLOADS__WORKERS_AI_TOKEN", "hunter2")
    probe._shared_fork_server.cache_clear()
    yield
    probe._shared_fork_server().close()
    probe._shared_fork_server.cache_clear()


@needs_whole_sandbox
@pytest.mark.usefixtures("programs")
async def test_a_compromised_image_decoder_reaches_nothing_else(
    ground: Path, targets: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack runs with the module, limits and folders with which a picture is decoded."""
    calls: list[tuple[MediaLimits, list[Path]]] = []

    async def attack(module: str, arguments: list[Any], limits: MediaLimits, folders: list[Path]) -> Any:
        assert module == "found_footy.platform.media.children.image"
        calls.append((limits, folders))
        attackers = [arguments[0], arguments[1], json.dumps(targets)]
        found = await run_in_sandbox("hostile_decoder", attackers, replace(limits, max_answer_bytes=65_536), folders)
        assert isinstance(found, dict), found
        report.update(found)
        return {"refused": "damaged", "detail": ""}

    report: dict[str, Any] = {}
    monkeypatch.setattr(image_decoder, "run_in_sandbox", attack)
    await decode_image(ground / "picture", ground / "out", LIMITS)
    assert calls == [(_build_child_limits(LIMITS), [ground / "out"])]
    tries = report["tries"]
    assert {name: what for name, what in tries.items() if what not in {"EACCES", "EPERM"}} == {}
    assert len(tries) > 35
    assert report["user"] == (NOBODY_ID if AS_ROOT else os.geteuid())
    assert report["open"] == 3
    assert report["processes"] == [0, 0]
    assert [path.name for path in (ground / "out").iterdir()] == ["made.txt"]


@pytest.mark.usefixtures("programs")
async def test_the_environment_of_an_image_decoder_has_no_secrets() -> None:
    code = "import json; print(json.dumps(dict(os.environ)))"
    found = await run_in_sandbox("forked_program", [code], _build_child_limits(LIMITS))
    assert isinstance(found, dict)
    assert "hunter2" not in found.values()


async def test_the_real_decoder_works_inside_the_sandbox_and_writes_two_files(ground: Path) -> None:
    found = await decode_image(ground / "picture", ground / "out", LIMITS)
    assert isinstance(found, image_decoder.DecodedImage)
    made = sorted((ground / "out").iterdir())
    assert [path.name for path in made] == ["picture.rgb", "preview.jpg"]
    assert all(path.stat().st_uid == os.geteuid() for path in made)
