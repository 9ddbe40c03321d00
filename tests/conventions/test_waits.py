"""Tests wait as long as `tests/support/patience.py` says: a limit of their own fails on a more crowded machine."""

import ast
from pathlib import Path

from tests.support.syntax_trees import list_nodes

TESTS = Path(__file__).resolve().parents[1]
# Position of the limit among the arguments.
LIMITED_CALLS = {"asyncio.timeout": 0, "asyncio.wait_for": 1, "until": 1}
# What is shorter is given to something that must not come in time.
SHORTEST_WAIT = 1


def has_limit_of_its_own(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or (place := LIMITED_CALLS.get(ast.unparse(node.func))) is None:
        return False
    limits = [
        *node.args[place : place + 1],
        *(word.value for word in node.keywords if word.arg in ("timeout", "delay")),
    ]
    return any(
        isinstance(limit, ast.Constant) and isinstance(limit.value, int | float) and limit.value > SHORTEST_WAIT
        for limit in limits
    )


def test_no_wait_has_a_limit_of_its_own() -> None:
    files = sorted(TESTS.rglob("*.py"))
    assert len(files) > 100
    assert not [
        f"{path.relative_to(TESTS)}:{getattr(node, 'lineno', 0)}"
        for path in files
        for node in list_nodes(path)
        if has_limit_of_its_own(node)
    ]


def test_such_a_limit_is_found() -> None:
    def finds(text: str) -> bool:
        return any(has_limit_of_its_own(node) for node in ast.walk(ast.parse(text)))

    for text in ("asyncio.timeout(60)", "asyncio.wait_for(answer, 30)", "asyncio.wait_for(answer, timeout=5.0)"):
        assert finds(text)
    for text in ("asyncio.timeout(PATIENCE_SECONDS)", "asyncio.timeout(0.01)", "until(60)"):
        assert not finds(text)
