"""Temporal keeps the messages of workflows and activities for weeks and shows them: no secret is among them."""

import dataclasses
import importlib
import re
import typing
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import BaseModel, SecretStr

from found_footy.worker import WORKFLOWS
from tests.support.steps import declared_steps, step_types

SOURCE = Path(__file__).resolve().parents[2] / "src"
_SECRET = re.compile(
    r"password|passwd|secret|token|cookie|credential|authorization|(api|access|private|feed)_?key", re.I
)


def modules() -> list[ModuleType]:
    places = sorted([*(SOURCE / "found_footy").rglob("*steps.py"), *(SOURCE / "found_footy").rglob("messages.py")])
    return [importlib.import_module(".".join(place.relative_to(SOURCE).with_suffix("").parts)) for place in places]


def message_types() -> set[type]:
    found: set[type] = set()
    for module in modules():
        for value in vars(module).values():
            if isinstance(value, type) and value.__module__ == module.__name__:
                found |= {value, *(kind for step in declared_steps(value) for kind in step_types(step))}
    for workflow in WORKFLOWS:
        found |= set(typing.get_type_hints(workflow.run).values())
    return found


def parts(annotation: Any) -> Iterator[Any]:
    """The type and all that stand in its brackets."""
    yield annotation
    for inner in typing.get_args(annotation):
        yield from parts(inner)


def fields(kind: Any) -> dict[str, Any]:
    if isinstance(kind, type) and (dataclasses.is_dataclass(kind) or issubclass(kind, BaseModel)):
        return typing.get_type_hints(kind)
    return {}


def secrets_of(kinds: set[Any]) -> list[str]:
    """Fields that are named like secrets, of these types and of all that they contain."""
    seen, waiting, wrong = set(), list(kinds), []
    while waiting:
        for kind in parts(waiting.pop()):
            if id(kind) in seen:
                continue
            seen.add(id(kind))
            for name, inner in fields(kind).items():
                if _SECRET.search(name) or SecretStr in parts(inner):
                    wrong.append(f"{kind.__module__}.{kind.__name__}.{name}")
                waiting.append(inner)
    return wrong


def test_no_message_has_a_field_for_a_secret() -> None:
    kinds = message_types()
    assert len([kind for kind in kinds if fields(kind)]) > 40
    assert secrets_of(kinds) == []


def test_such_a_field_is_found_in_any_position() -> None:
    @dataclasses.dataclass
    class Inner:
        api_key: str

    @dataclasses.dataclass
    class Outer:
        many: tuple[Inner, ...]

    Outer.__annotations__["many"] = tuple[Inner, ...]
    assert [one.rpartition(".")[2] for one in secrets_of({Outer})] == ["api_key"]
