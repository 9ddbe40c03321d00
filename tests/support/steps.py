"""The activities of a stage, and steps with other options than their own, for a test or the rest of a process."""

import inspect
import typing
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from found_footy.platform.temporal import steps as temporal_steps
from found_footy.platform.temporal.steps import StepOptions, get_step_options

StepDeclaration = Callable[[Any, Any], Awaitable[Any]]


def activities_of(stage: object) -> list[Callable[..., Any]]:
    """The activities that a worker serves for an object of a stage."""
    return [m for _, m in inspect.getmembers(stage, inspect.ismethod) if hasattr(m, "__temporal_activity_definition")]


def declared_steps(*owners: type) -> list[StepDeclaration]:
    """Every method of the steps classes that is declared as a step."""
    methods = (method for owner in owners for method in vars(owner).values())
    return [method for method in methods if hasattr(method, temporal_steps.OPTIONS_ATTRIBUTE)]


def step_types(declared: StepDeclaration) -> tuple[Any, Any]:
    """The types of a step's message and of its result."""
    hints = typing.get_type_hints(declared)
    result = hints.pop("return")
    [message] = hints.values()
    return message, result


def set_options(declared: StepDeclaration, options: StepOptions) -> None:
    setattr(declared, temporal_steps.OPTIONS_ATTRIBUTE, options)


def change_options(monkeypatch: pytest.MonkeyPatch, declared: StepDeclaration, **changes: Any) -> StepOptions:
    """Change the options of a step for the rest of the test, and return them."""
    changed = replace(get_step_options(declared), **changes)
    monkeypatch.setattr(declared, temporal_steps.OPTIONS_ATTRIBUTE, changed)
    return changed
