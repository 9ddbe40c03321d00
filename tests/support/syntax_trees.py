"""Syntax trees of source files, each parsed and walked once per process."""

import ast
from functools import cache
from pathlib import Path


@cache
def list_nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
