"""Rules over the syntax trees of every module: sizes, names, clocks, log lines, owners of libraries."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.support.syntax_trees import list_nodes

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "found_footy"
SIMULATOR = ROOT / "src" / "found_footy_sim"
STAGES = ("fixtures", "discovery", "clips", "archive", "uploads", "notify")
PLAIN_FILES = {"activities", "store", "settings", "metrics"}
# Reads the age of files on disk.
DISKS = {"cache"}
# Wait a moment for other callers, in a thread.
WAITERS = {"micro_batches"}

LONGEST_MODULE = 400
LONGEST_FUNCTION = 60
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "manager", "core", "misc", "common"}


def python_files(*folders: Path) -> list[Path]:
    return sorted(p for folder in folders for p in folder.rglob("*.py"))


ALL = python_files(ROOT / "src", ROOT / "tests", ROOT / "bench")
PRODUCT = python_files(SOURCE, SIMULATOR)
WORKFLOWS = [path for path in PRODUCT if path.stem.endswith("workflow")]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def calls(path: Path) -> Iterator[str]:
    for node in list_nodes(path):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)


def imports(path: Path) -> Iterator[str]:
    for node in list_nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_there_is_something_to_check() -> None:
    assert len(PRODUCT) > 10


def test_modules_and_functions_stay_small() -> None:
    too_long = [
        f"{name(path)}:{node.lineno} {node.name}"
        for path in ALL
        for node in list_nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno + 1 > LONGEST_FUNCTION
    ]
    too_big = [name(path) for path in ALL if path.read_text(encoding="utf-8").count("\n") > LONGEST_MODULE]
    assert not too_long
    assert not too_big


def test_modules_are_named_after_what_they_do() -> None:
    assert not [name(p) for p in PRODUCT if p.stem in VAGUE_NAMES or p.parent.name in VAGUE_NAMES]


def test_progress_is_named_not_counted() -> None:
    def strings(path: Path) -> Iterator[object]:
        return (node.value for node in list_nodes(path) if isinstance(node, ast.Constant))

    assert not [name(path) for path in PRODUCT if "$inc" in strings(path)]


def pure_and_workflow_modules() -> list[Path]:
    stage_files = [
        p for stage in STAGES for p in (SOURCE / stage).rglob("*.py") if p.stem not in PLAIN_FILES | DISKS | WAITERS
    ]
    return [p for p in [*python_files(SOURCE / "domain"), *stage_files] if not _is_adapter(p)]


def _is_adapter(path: Path) -> bool:
    """A module that talks to an outside system may look at the clock; what decides or orders may not."""
    return any(
        i.startswith("found_footy.platform.")
        and not i.split(".")[2].endswith(("errors", "temporal", "settings", "logs", "clock"))
        for i in imports(path)
    )


def test_deciding_modules_read_no_clock_and_use_no_random_numbers() -> None:
    forbidden = re.compile(
        r"(datetime\.now|datetime\.utcnow|date\.today|utc_now|time\.time|time\.monotonic|random\.\w+|uuid4)$"
    )
    assert len(pure_and_workflow_modules()) > 10
    assert not [
        f"{name(path)}: {call}"
        for path in pure_and_workflow_modules()
        for call in calls(path)
        if forbidden.search(call) and not call.startswith("workflow.")
    ]


def test_workflows_import_only_messages_steps_and_decisions() -> None:
    forbidden = {*PLAIN_FILES, "mongo", "objects", "http", "media", "queue"}
    assert len(WORKFLOWS) >= 6
    assert not [
        f"{name(path)}: {module}"
        for path in WORKFLOWS
        for module in imports(path)
        if module.startswith("found_footy.") and forbidden & set(module.split("."))
    ]


LEVELS = {"debug", "info", "warning", "error", "exception", "critical", "log"}


def _log_calls(path: Path) -> Iterator[ast.Call]:
    """Calls of a module's logger, by its name, and of the SDK's loggers."""
    for node in list_nodes(path):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in LEVELS:
            called = ast.unparse(node.func.value)
            if called in {"logger", "workflow.logger", "activity.logger"}:
                yield node


def _with_action(path: Path) -> set[str]:
    """Names of dictionaries that have an action, for `extra=told`."""
    return {
        target.id
        for node in list_nodes(path)
        if isinstance(node, ast.Assign) and _has_action(node.value, set())
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _has_action(extra: ast.expr | None, known: set[str]) -> bool:
    if isinstance(extra, ast.Name):
        return extra.id in known
    return isinstance(extra, ast.Dict) and "action" in {
        key.value for key in extra.keys if isinstance(key, ast.Constant)
    }


def _says_what_happened(call: ast.Call, known: set[str]) -> bool:
    given = {word.arg: word.value for word in call.keywords}
    return "action" in given or _has_action(given.get("extra"), known)


def test_every_line_of_the_log_has_an_action() -> None:
    product = [path for path in PRODUCT if not path.is_relative_to(SIMULATOR)]
    assert sum(1 for path in product for _ in _log_calls(path)) > 40
    assert not [
        f"{name(path)}:{call.lineno}"
        for path in product
        for call in _log_calls(path)
        if not _says_what_happened(call, _with_action(path))
    ]


def test_workflows_and_activities_use_the_logger_that_requires_an_action() -> None:
    """The standard loggers know neither the goal nor the replay, and the SDK's put a dictionary into the text."""
    runs = [path for path in PRODUCT if {"workflow", "activity"} & _temporal_names(path)]
    assert len(runs) > 10
    assert not [
        f"{name(path)}: {used}"
        for path in runs
        for used in _logger_names(path)
        if used in {"workflow.logger", "activity.logger", "logging.getLogger"}
        and path != SOURCE / "platform/temporal/client.py"
    ]


def _temporal_names(path: Path) -> set[str]:
    return {
        alias.name
        for node in list_nodes(path)
        if isinstance(node, ast.ImportFrom) and node.module == "temporalio"
        for alias in node.names
    }


def _logger_names(path: Path) -> Iterator[str]:
    loggers = (
        node for node in list_nodes(path) if isinstance(node, ast.Attribute) and node.attr in {"logger", "getLogger"}
    )
    return (ast.unparse(node) for node in loggers)


OWNERS = {
    "pymongo": (
        "platform/mongo.py",
        "platform/paired_collections.py",
        "platform/probes.py",
        "store.py",
        "embedded/",
        "cluster/replica_set.py",
    ),
    "boto3": ("platform/objects.py",),
    "botocore": ("platform/objects.py",),
    "av": ("platform/media", "fingerprint/", "vision/", "found_footy_sim/"),
    "subprocess": ("embedded/", "platform/process/runner.py"),
    "httpx": ("platform/http/client.py",),
    "opentelemetry": ("platform/span_export.py",),
}


def _foreign(path: Path) -> Iterator[str]:
    place = str(path.relative_to(ROOT / "src"))
    for module in imports(path):
        for library, owners in OWNERS.items():
            if module.split(".")[0] == library and not any(owner in place for owner in owners):
                yield f"{place}: {module}"


def test_every_outside_library_has_one_owner() -> None:
    assert not [foreign for path in PRODUCT for foreign in _foreign(path)]


def _catches_to_ignore(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in {"Exception", "BaseException"})
        and all(isinstance(statement, ast.Pass | ast.Continue) for statement in node.body)
    )


def test_unit_tests_and_helpers_import_nothing_from_tests_with_servers() -> None:
    tests = ROOT / "tests"
    files = python_files(tests / "unit", tests / "conventions", tests / "support")
    assert len(files) > 100
    assert not [
        f"{name(path)}: {module}"
        for path in files
        for module in imports(path)
        if module.startswith(("tests.integration", "tests.e2e"))
    ]


def test_nothing_is_caught_to_be_ignored() -> None:
    assert not [
        f"{name(path)}:{getattr(node, 'lineno', 0)}"
        for path in ALL
        for node in list_nodes(path)
        if _catches_to_ignore(node)
    ]
