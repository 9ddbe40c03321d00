"""Every step that workflows run is declared once and served by one activity of the worker with the same types."""

import ast
import importlib
import inspect
import re
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from temporalio import activity

from found_footy.activities_factory import WorkerActivities
from tests.support.steps import StepDeclaration, declared_steps, step_types
from tests.support.syntax_trees import list_nodes

SOURCE = Path(__file__).resolve().parents[2] / "src"
PLATFORM = SOURCE / "found_footy/platform/temporal/steps.py"
PRODUCT = sorted((SOURCE / "found_footy").rglob("*.py"))
STEPS_FILES = [path for path in PRODUCT if path.stem.endswith("steps") and path != PLATFORM]


def load_module(path: Path) -> ModuleType:
    return importlib.import_module(".".join(path.relative_to(SOURCE).with_suffix("").parts))


def declared() -> dict[str, list[StepDeclaration]]:
    """Every steps class of the product, with its steps."""
    classes = {
        value
        for path in STEPS_FILES
        for value in vars(load_module(path)).values()
        if isinstance(value, type) and declared_steps(value)
    }
    return {each.__name__: declared_steps(each) for each in classes}


def served() -> list[StepDeclaration]:
    """Every activity of the worker, as the function that implements it."""
    return [
        method
        for owner in typing.get_type_hints(WorkerActivities).values()
        for _, method in inspect.getmembers(owner, inspect.isfunction)
        if hasattr(method, "__temporal_activity_definition")
    ]


def signature(method: StepDeclaration) -> tuple[str, object, object]:
    definition = activity._Definition.must_from_callable(method)
    return (definition.name or "", *step_types(method))


def test_every_step_has_one_activity_of_the_same_name_and_types_and_every_activity_a_step() -> None:
    steps = sorted((signature(step) for steps in declared().values() for step in steps), key=str)
    assert len(steps) > 40
    assert len({name for name, *_ in steps}) == len(steps)
    assert sorted(map(signature, served()), key=str) == steps


def test_no_activity_is_a_step_without_a_body() -> None:
    without_body = {step.__qualname__ for steps in declared().values() for step in steps}
    assert not without_body & {method.__qualname__ for method in served()}


def calls(path: Path) -> Iterator[ast.Call]:
    return (node for node in list_nodes(path) if isinstance(node, ast.Call))


def called_name(call: ast.Call) -> str:
    """The last name of what is called; unparsing every call of the product takes seconds."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def is_direct(call: ast.Call) -> bool:
    """Whether it runs an activity by one of the SDK's functions for workflows."""
    named = re.match(r"(execute|start)_(local_)?activity", called_name(call))
    return named is not None and ast.unparse(call.func).startswith("workflow.")


def test_workflows_run_activities_only_by_their_steps() -> None:
    others = [path for path in PRODUCT if path != PLATFORM]
    assert not [path.name for path in others for call in calls(path) if is_direct(call)]
    known = {f"{owner}.{step.__name__}" for owner, steps in declared().items() for step in steps}
    run = [
        ast.unparse(call.args[0])
        for path in others
        for call in calls(path)
        if called_name(call) == "run_step" and call.args
    ]
    assert set(run) == known


def test_steps_import_messages_and_nothing_that_does_input_or_output() -> None:
    imported = {
        (path.name, node.module or "")
        for path in STEPS_FILES
        for node in list_nodes(path)
        if isinstance(node, ast.ImportFrom)
    }
    assert not [
        (name, module)
        for name, module in imported
        if module not in sys.stdlib_module_names
        and module != "found_footy.platform.temporal.steps"
        and not module.endswith("messages")
    ]
