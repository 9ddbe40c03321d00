"""What a process loads when it starts: a library that a command does not use costs each of its starts time."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import clean_environment
from tests.support.patience import PATIENCE_SECONDS

SOURCE = Path(__file__).parents[2] / "src"
DRIVERS = ("boto3", "botocore", "nats", "pymongo", "temporalio")
SERVING = ("fastapi", "jinja2", "starlette", "uvicorn")
READING = ("cv2", "onnxruntime", "rapidocr")
MEDIA = ("PIL", "av", "numpy", *READING)
TRACING = "opentelemetry"
SIMULATOR = "found_footy_sim"
ACTIVITIES = "found_footy.activities_factory"


def module_path(name: str) -> Path | None:
    """The file of a module of ours."""
    place = SOURCE / name.replace(".", "/")
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()), None)


def imported_at_the_start(tree: ast.Module) -> Iterator[str]:
    """What is imported with the module: neither inside a function nor for the type checker alone."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            pending += node.orelse
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        pending += ast.iter_child_nodes(node)


def loaded_with(*names: str) -> dict[str, str]:
    """Modules of ours and packages of others that are loaded with these modules, each with who imports it first."""
    found: dict[str, str] = {}
    pending = [(name, "") for name in names]
    while pending:
        name, importer = pending.pop()
        path = module_path(name)
        known = name if path else name.partition(".")[0]
        if known in found or (path is None and name.startswith("found_footy")):
            continue
        found[known] = importer
        if path is None:
            continue
        pending += [(wanted, name) for wanted in imported_at_the_start(ast.parse(path.read_text(encoding="utf-8")))]
        pending += [(name.rpartition(".")[0], name)] if "." in name else []
    return found


@pytest.mark.parametrize(
    ("command", "needed", "unneeded"),
    [
        ("version", "rich", ("found_footy.settings", *DRIVERS, *SERVING, *MEDIA)),
        ("config", "pydantic", (*DRIVERS, *SERVING, *MEDIA)),
        ("status", "pydantic", (*DRIVERS, *SERVING, *MEDIA)),
        ("running_status", "pymongo", (*SERVING, "av", *READING, ACTIVITIES)),
        ("up", "temporalio", (*SERVING, *MEDIA, ACTIVITIES)),
        ("web", "fastapi", (*READING, TRACING, ACTIVITIES)),
        ("worker", ACTIVITIES, (*SERVING, TRACING)),
        ("xsearch", "fastapi", (*DRIVERS, *MEDIA)),
        ("scaler", "temporalio", (*SERVING, *READING, ACTIVITIES)),
        ("backup", "pymongo", (*SERVING, *READING, ACTIVITIES)),
        ("rollout", "temporalio", ("pymongo", "boto3", *SERVING, *MEDIA, ACTIVITIES)),
    ],
)
def test_a_command_loads_no_library_that_it_does_not_use(command: str, needed: str, unneeded: tuple[str, ...]) -> None:
    loaded = loaded_with("found_footy.cli", f"found_footy.cli.{command}")
    assert needed in loaded
    assert {name: loaded[name] for name in (*unneeded, SIMULATOR) if name in loaded} == {}


_STATUS = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr))
from found_footy.cli import main
main()
"""


def test_status_says_that_nothing_runs_without_loading_a_driver(tmp_path: Path) -> None:
    """What others import in turn counts here, and what is imported on the way to the answer."""
    ended = subprocess.run(
        [sys.executable, "-c", _STATUS, "status"],
        env=clean_environment(FOOTY_DATA_DIR=str(tmp_path)),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert ended.returncode == 1
    assert "found-footy up" in ended.stderr
    loaded = json.loads(ended.stderr.splitlines()[-1])
    assert "found_footy" in loaded
    assert set(loaded).isdisjoint((*DRIVERS, *SERVING, *MEDIA, SIMULATOR))
