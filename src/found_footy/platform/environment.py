"""Typed settings from environment variables: where each value came from, and errors that a person can act on.

A settings model is a pydantic model of groups, each a pydantic model of values. The value `interval` of the group
`monitor` is read from FOOTY_MONITOR__INTERVAL; a value marked with `Env` has a well-known name that comes first.
A blank variable counts as not set, because that is what a compose file makes of a missing one.
"""

import difflib
import json
import types
import typing
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticUndefined

from found_footy.platform.errors import ConfigError

PREFIX = "FOOTY_"
_DELIMITER = "__"
_FILE = "_FILE"
_HIDDEN = "********"
_LONGEST_SHOWN = 200
_SHORTEST_QUOTED = 4
_LONGEST_SECRET_FILE = 64 * 1024
# Read outside the settings, and therefore known.
_KNOWN_ELSEWHERE = frozenset({"FOOTY_COMMIT"})

S = TypeVar("S", bound=BaseModel)
_Path = tuple[str, ...]


class Env:
    """Marks a value with its well-known variable: `uri: Annotated[MongoUri, Env("MONGODB_URI")]`."""

    def __init__(self, name: str) -> None:
        self.name = name


@dataclass(frozen=True)
class Shown:
    """Marks a type with how its values are written for people. `conceals`: the text as given may hold a secret."""

    render: Callable[[Any], str]
    conceals: bool = False


@dataclass(frozen=True)
class Fallback:
    """A value that something other than the environment supplies, as the text a variable would hold."""

    value: str
    origin: str = "embedded platform"


@dataclass(frozen=True)
class Origin:
    """One value of the settings: its variable, the value as it may be shown, where it came from, what it is for."""

    variable: str
    value: str
    origin: str
    description: str


@dataclass(frozen=True)
class Loaded(Generic[S]):
    settings: S
    origins: list[Origin]


@dataclass(frozen=True)
class _Leaf:
    path: _Path
    field: FieldInfo

    @property
    def names(self) -> tuple[str, ...]:
        own = PREFIX + _DELIMITER.join(self.path).upper()
        return (*(mark.name for mark in self.field.metadata if isinstance(mark, Env)), own)

    @property
    def variables(self) -> tuple[str, ...]:
        return (*self.names, *((name + _FILE) for name in self.names if self.from_file))

    @property
    def shown(self) -> Shown | None:
        return next((mark for mark in self.field.metadata if isinstance(mark, Shown)), None)

    @property
    def secret(self) -> bool:
        return SecretStr in _members(self.field.annotation)

    @property
    def from_file(self) -> bool:
        return self.secret or (self.shown is not None and self.shown.conceals)


@dataclass(frozen=True)
class _Given:
    variable: str
    text: str
    origin: str


def load(
    model: type[S],
    environ: Mapping[str, str],
    fallback: Mapping[str, Fallback] | None = None,
    *,
    known: Collection[str] = (),
) -> Loaded[S]:
    """Settings of `model`: environment before fallback before default.

    `known` names further FOOTY_ variables that belong to somebody else. Raises ConfigError, one line per problem.
    """
    leaves = list(_leaves(model))
    problems = _unknown_variables(leaves, environ, known)
    given: dict[_Path, _Given] = {}
    for leaf in leaves:
        try:
            found = _find(leaf, environ) or _find_fallback(leaf, fallback or {})
        except ConfigError as error:
            problems.append(str(error))
        else:
            given |= {leaf.path: found} if found else {}
    settings = _validated(model, leaves, given, problems)
    return Loaded(settings, [_origin(leaf, settings, given.get(leaf.path)) for leaf in leaves])


def variables(model: type[BaseModel]) -> list[tuple[str, ...]]:
    """Every variable that `model` understands, first the name it is shown under, then its other names."""
    return [leaf.variables for leaf in _leaves(model)]


def given(model: type[BaseModel], environ: Mapping[str, str]) -> dict[str, str]:
    """What the environment itself gives, under whichever of its names, by the name that a value is shown under."""
    found = ((leaf.names[0], _find(leaf, environ)) for leaf in _leaves(model))
    return {name: value.text for name, value in found if value is not None}


def variables_of(model: type[BaseModel], groups: Collection[str], without_secrets: Collection[str] = ()) -> set[str]:
    """The variables of the named groups, and of values that belong to none. Of the groups `without_secrets` those are
    left out that hold a secret.
    """
    return {
        name
        for leaf in _leaves(model)
        if (len(leaf.path) == 1 or leaf.path[0] in groups) and not (leaf.secret and leaf.path[0] in without_secrets)
        for name in leaf.variables
    }


def _leaves(model: type[BaseModel], path: _Path = ()) -> Iterator[_Leaf]:
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _leaves(inner, (*path, name))
        else:
            yield _Leaf((*path, name), field)


def _members(annotation: Any) -> tuple[Any, ...]:
    """The alternatives of a type: (int, None) for `int | None`."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return tuple(part for member in typing.get_args(annotation) for part in _members(member))
    if typing.get_origin(annotation) is typing.Annotated:
        return _members(typing.get_args(annotation)[0])
    return (annotation,)


def _unknown_variables(leaves: list[_Leaf], environ: Mapping[str, str], known: Collection[str]) -> list[str]:
    names = {name for leaf in leaves for name in leaf.names}
    files = {name + _FILE for leaf in leaves if leaf.from_file for name in leaf.names}
    understood = names | files | set(known) | _KNOWN_ELSEWHERE
    return [
        f"{name} is not a known setting{_nearest(name, understood)}"
        for name in sorted(environ)
        if name.startswith(PREFIX) and name not in understood
    ]


def _nearest(name: str, understood: Collection[str]) -> str:
    close = difflib.get_close_matches(name, sorted(understood), n=1, cutoff=0.6)
    return f"; did you mean {close[0]}?" if close else ""


def _find(leaf: _Leaf, environ: Mapping[str, str]) -> _Given | None:
    candidates = [_Given(name, environ[name], "environment") for name in leaf.names if environ.get(name, "").strip()]
    if leaf.from_file:
        named = [name + _FILE for name in leaf.names if environ.get(name + _FILE, "").strip()]
        candidates += [_from_file(name, environ[name].strip()) for name in named]
    if len({candidate.text for candidate in candidates}) > 1:
        listed = " and ".join(candidate.variable for candidate in candidates)
        raise ConfigError(f"{listed} name the same setting with different values; keep one")
    return candidates[0] if candidates else None


def _from_file(variable: str, place: str) -> _Given:
    try:
        with Path(place).open("rb") as file:
            content = file.read(_LONGEST_SECRET_FILE + 1)
        text = content.decode().strip()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not text"
        raise ConfigError(f"{variable}={place}: cannot be read ({reason})") from error
    if not text or len(content) > _LONGEST_SECRET_FILE:
        raise ConfigError(f"{variable}={place}: the file is {'empty' if not text else 'too large for a secret'}")
    return _Given(variable, text, f"file {place}")


def _find_fallback(leaf: _Leaf, fallback: Mapping[str, Fallback]) -> _Given | None:
    name = next((name for name in leaf.names if name in fallback), None)
    return _Given(name, fallback[name].value, fallback[name].origin) if name else None


def _validated(model: type[S], leaves: list[_Leaf], given: Mapping[_Path, _Given], problems: list[str]) -> S:
    tree: dict[str, Any] = {}
    for leaf in leaves:
        _graft(tree, leaf, given.get(leaf.path))
    try:
        settings = model.model_validate(tree)
    except ValidationError as error:
        problems += [_explained(detail, leaves, given) for detail in error.errors(include_url=False)]
        # Without the original as cause: its text holds the values, secrets among them.
        raise ConfigError("\n".join(problems)) from None
    if problems:
        raise ConfigError("\n".join(problems))
    return settings


def _graft(tree: dict[str, Any], leaf: _Leaf, found: _Given | None) -> None:
    """Put a value where its path says. Groups exist even when empty, so that their own defaults apply."""
    for group in leaf.path[:-1]:
        tree = tree.setdefault(group, {})
    if found:
        tree[leaf.path[-1]] = _structured(leaf.field, found.text)


def _structured(field: FieldInfo, text: str) -> Any:
    """Lists are written with commas, mappings as JSON. What is not JSON stays text, for the model to refuse."""
    members = _members(field.annotation)
    kinds = {typing.get_origin(member) or member for member in members}
    text = text.strip()
    if any(typing.get_origin(member) is typing.Literal and text in typing.get_args(member) for member in members):
        return text
    if kinds & {list, tuple, set, frozenset} and not text.startswith("["):
        return [part.strip() for part in text.split(",") if part.strip()]
    if kinds & {list, tuple, set, frozenset, dict}:
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            return text
    return text


def _explained(detail: ErrorDetails, leaves: list[_Leaf], given: Mapping[_Path, _Given]) -> str:
    place = tuple(part for part in detail["loc"] if isinstance(part, str))
    said = detail["msg"].removeprefix("Value error, ").replace("Input should be", "must be")
    leaf = next((leaf for leaf in leaves if place[: len(leaf.path)] == leaf.path), None)
    if leaf is None:
        inside = [found.variable for path, found in given.items() if path[: len(place)] == place]
        return f"{', '.join(inside) or PREFIX + _DELIMITER.join(place).upper()}: {said}"
    found = given.get(leaf.path)
    if found is None:
        purpose = f" ({leaf.field.description})" if leaf.field.description else ""
        missing = "is not set, and it has no default" if detail["type"] == "missing" else said
        return f"{leaf.names[0]}{purpose}: {missing}"
    return f"{found.variable}={_as_given(leaf, found)}: {_without_secret(said, leaf, found)}"


def _as_given(leaf: _Leaf, found: _Given) -> str:
    if leaf.secret:
        return _HIDDEN
    text = leaf.shown.render(found.text) if leaf.shown and leaf.shown.conceals else found.text
    return _one_line(text)


def _without_secret(said: str, leaf: _Leaf, found: _Given) -> str:
    """A validator may quote what it was given; where that could be a secret, the quotation goes. A text of a letter or
    two stands in every sentence, and no quotation is meant.
    """
    hides = leaf.from_file and len(found.text) >= _SHORTEST_QUOTED
    return _one_line(said.replace(found.text, _HIDDEN) if hides else said)


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_SHOWN else line[: _LONGEST_SHOWN - 1] + "…"


def _origin(leaf: _Leaf, settings: BaseModel, found: _Given | None) -> Origin:
    value: Any = settings
    for part in leaf.path:
        value = getattr(value, part)
    description = " ".join((leaf.field.description or "").split())
    variable = found.variable if found else leaf.names[0]
    return Origin(variable, shown_value(value, leaf.shown), found.origin if found else "default", description)


def shown_value(value: Any, shown: Shown | None = None) -> str:
    """`value` as the text that a variable could hold; secrets hidden, nothing for a value that is not set."""
    if value is None or value is PydanticUndefined:
        return ""
    if isinstance(value, SecretStr):
        return _HIDDEN if value.get_secret_value() else ""
    if shown is not None:
        return _one_line(shown.render(value))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple | set | frozenset):
        parts = [shown_value(part) for part in value]
        return _one_line(",".join(sorted(parts) if isinstance(value, set | frozenset) else parts))
    return _one_line(json.dumps(value, default=str) if isinstance(value, dict) else str(value))
