"""House rules that matter, checked over the syntax trees of everything tracked here."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "found_footy"
STAGES = ("fixtures", "discovery", "clips", "archive")
PLAIN_FILES = {"activities", "store", "settings", "metrics"}
# Reads the age of files on disk.
DISKS = {"cache"}

LONGEST_MODULE = 400
LONGEST_FUNCTION = 60
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "manager", "core", "misc", "common"}


def python_files(*folders: Path) -> list[Path]:
    return sorted(p for folder in folders for p in folder.rglob("*.py"))


ALL = python_files(ROOT / "src", ROOT / "tests", ROOT / "bench")
PRODUCT = python_files(SOURCE)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def calls(module: ast.AST) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)


def imports(module: ast.AST) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_there_is_something_to_check() -> None:
    assert len(PRODUCT) > 10


@pytest.mark.parametrize("path", ALL, ids=name)
def test_modules_and_functions_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= LONGEST_MODULE
    long = [
        f"{node.name}: {node.end_lineno - node.lineno + 1}"
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > LONGEST_FUNCTION
    ]
    assert not long


def test_modules_are_named_after_what_they_do() -> None:
    assert not [name(p) for p in PRODUCT if p.stem in VAGUE_NAMES or p.parent.name in VAGUE_NAMES]


@pytest.mark.parametrize("path", PRODUCT, ids=name)
def test_progress_is_named_not_counted(path: Path) -> None:
    strings = {n.value for n in ast.walk(tree(path)) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    assert "$inc" not in strings


def pure_and_workflow_modules() -> list[Path]:
    stage_files = [p for stage in STAGES for p in (SOURCE / stage).rglob("*.py") if p.stem not in PLAIN_FILES | DISKS]
    return [p for p in [*python_files(SOURCE / "model"), *stage_files] if not _is_adapter(p)]


def _is_adapter(path: Path) -> bool:
    """A module that talks to an outside system may look at the clock; what decides or orders may not."""
    return any(i.startswith("found_footy.platform.") and not i.endswith(("errors", "temporal", "settings"))
               for i in imports(tree(path)))  # fmt: skip


@pytest.mark.parametrize("path", pure_and_workflow_modules(), ids=name)
def test_what_decides_reads_no_clock_and_throws_no_dice(path: Path) -> None:
    forbidden = re.compile(
        r"(datetime\.now|datetime\.utcnow|date\.today|time\.time|time\.monotonic|random\.\w+|uuid4)$"
    )
    assert not [call for call in calls(tree(path)) if forbidden.search(call) and not call.startswith("workflow.")]


@pytest.mark.parametrize("path", [p for p in PRODUCT if p.stem.endswith("workflow")], ids=name)
def test_workflows_import_only_messages_policies_and_decisions(path: Path) -> None:
    def allowed(module: str) -> bool:
        product = module.startswith("found_footy.")
        last = module.rpartition(".")[2]
        return not product or last not in {*PLAIN_FILES, "mongo", "objects", "http", "media", "queue"}

    assert not [m for m in imports(tree(path)) if not allowed(m)]


@pytest.mark.parametrize("path", [p for p in PRODUCT if p.stem.endswith("workflow")], ids=name)
def test_workflows_call_activities_only_through_the_policy_table(path: Path) -> None:
    direct = re.compile(r"workflow\.(execute|start)_(local_)?activity")
    assert not [call for call in calls(tree(path)) if direct.search(call)]


OWNERS = {
    "pymongo": ("platform/mongo.py", "platform/probes.py", "store.py", "store_", "embedded/", "web/hub.py"),
    "boto3": ("platform/objects.py",),
    "botocore": ("platform/objects.py",),
    "av": ("platform/media", "fingerprint/", "sim/"),
    "subprocess": ("embedded/", "platform/process.py"),
    "httpx": ("platform/http.py",),
}


@pytest.mark.parametrize("path", PRODUCT, ids=name)
def test_every_outside_library_has_one_owner(path: Path) -> None:
    place = str(path.relative_to(SOURCE))
    foreign = [
        module
        for module in imports(tree(path))
        for library, owners in OWNERS.items()
        if (module == library or module.startswith(library + ".")) and not any(owner in place for owner in owners)
    ]
    assert not foreign


@pytest.mark.parametrize("path", ALL, ids=name)
def test_nothing_is_caught_to_be_ignored(path: Path) -> None:
    silent = [
        node.lineno
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in {"Exception", "BaseException"})
        and all(isinstance(statement, ast.Pass | ast.Continue) for statement in node.body)
    ]
    assert not silent
