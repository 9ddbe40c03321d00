"""What every outside system needs stands once: the clock, Retry-After, the module's logger."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.support.syntax_trees import list_nodes

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ROOT / "src" / "found_footy"
SIMULATOR = ROOT / "src" / "found_footy_sim"
CLOCKS = {PRODUCT / "platform/clock.py", SIMULATOR / "wall_clock.py"}
RETRY_AFTER = PRODUCT / "platform/http/retry_after.py"
WALL_CLOCK_CALLS = {"datetime.now", "datetime.utcnow", "datetime.datetime.now", "datetime.today"}


def nodes(*folders: Path) -> Iterator[tuple[Path, ast.AST]]:
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            yield from ((path, node) for node in list_nodes(path))


def place(path: Path, node: ast.AST) -> str:
    return f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"


def reads_wall_clock(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {call.rpartition(".")[2] for call in WALL_CLOCK_CALLS}
        and ast.unparse(node.func) in WALL_CLOCK_CALLS
    )


def test_only_the_clock_modules_read_the_time_of_day() -> None:
    found = [(path, node) for path, node in nodes(PRODUCT, SIMULATOR) if reads_wall_clock(node)]
    assert {path for path, _ in found} >= CLOCKS
    assert not [place(path, node) for path, node in found if path not in CLOCKS]


def names_retry_after(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.lower() == "retry-after"


def reads_retry_after(node: ast.AST) -> bool:
    """`headers.get("retry-after")`, `headers["Retry-After"]`, `NAME = "retry-after"`; not one of our own answers."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in {"get", "pop"}:
        return any(map(names_retry_after, node.args[:1]))
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        return names_retry_after(node.slice)
    return isinstance(node, ast.Assign) and names_retry_after(node.value)


def test_retry_after_is_parsed_in_one_place() -> None:
    found = [(path, node) for path, node in nodes(PRODUCT) if reads_retry_after(node)]
    assert RETRY_AFTER in {path for path, _ in found}
    assert not [place(path, node) for path, node in found if path != RETRY_AFTER]


def is_module_logger(node: ast.AST) -> bool:
    """An assignment of a logger to a name, whatever the name."""
    return isinstance(node, ast.Assign | ast.AnnAssign) and ast.unparse(node.value or ast.Constant(None)).endswith(
        (".getLogger(__name__)", "ActionLogger(__name__)", ".getLogger('found_footy_sim')")
    )


def test_a_modules_logger_has_one_name_and_one_form() -> None:
    """The simulator imports nothing of the product, so it has the standard library's form."""
    for folder, form in ((PRODUCT, "ActionLogger(__name__)"), (SIMULATOR, "logging.getLogger(")):
        loggers = [(path, node) for path, node in nodes(folder) if is_module_logger(node)]
        assert len(loggers) > 3
        assert not [place(path, node) for path, node in loggers if not ast.unparse(node).startswith(f"logger = {form}")]


def gets_standard_logger(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("getLogger")


def test_only_the_logging_modules_get_a_standard_logger() -> None:
    owners = {PRODUCT / "platform/logs.py", PRODUCT / "platform/temporal/metrics.py"}
    found = [(path, node) for path, node in nodes(PRODUCT) if gets_standard_logger(node)]
    assert {path for path, _ in found} == owners


def test_the_checks_find_violations() -> None:
    def finds(check: object, text: str) -> bool:
        return callable(check) and any(check(node) for node in ast.walk(ast.parse(text)))

    assert finds(reads_wall_clock, "now = lambda: datetime.now(UTC)")
    assert not finds(reads_wall_clock, "now = utc_now()")
    for text in ("log = ActionLogger(__name__)", "_log = logging.getLogger(__name__)"):
        assert finds(is_module_logger, text)
    for text in ('h.get("Retry-After", "")', 'h["retry-after"]', 'NAME = "retry-after"'):
        assert finds(reads_retry_after, text)
    for text in ('{"Retry-After": "5"}', 'h["retry-after"] = "5"', 'body.get("retry_after")'):
        assert not finds(reads_retry_after, text)
