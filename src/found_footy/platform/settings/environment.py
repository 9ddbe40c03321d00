"""Typed settings from environment variables, with the origin of each value and one error line per problem.

A settings model is a pydantic model of groups, each a pydantic model of values. The value `interval` of the group
`monitor` is read from FOOTY_MONITOR__INTERVAL; a value marked with `EnvVariable` has a well-known name that takes
precedence. A blank variable counts as not set, because a compose file passes missing ones as blank.
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

ENV_PREFIX = "FOOTY_"
_DELIMITER = "__"
_FILE_SUFFIX = "_FILE"
_REDACTED = "********"
_MAX_SHOWN_LENGTH = 200
_MIN_REDACTED_LENGTH = 4
_MAX_SECRET_FILE_BYTES = 64 * 1024
# Read outside the settings model, so not unknown.
_VARIABLES_READ_ELSEWHERE = frozenset({"FOOTY_COMMIT"})

S = TypeVar("S", bound=BaseModel)
_FieldPath = tuple[str, ...]


class EnvVariable:
    """Marks a value with its well-known variable: `uri: Annotated[MongoUri, EnvVariable("MONGODB_URI")]`."""

    def __init__(self, name: str) -> None:
        self.name = name


@dataclass(frozen=True)
class DisplayFormat:
    """Marks a type with its display format. `redacts`: the given text may hold a secret."""

    render: Callable[[Any], str]
    redacts: bool = False


@dataclass(frozen=True)
class FallbackValue:
    """A value from another origin than the environment, as the text that a variable would hold."""

    value: str
    origin: str = "embedded platform"


@dataclass(frozen=True)
class ResolvedSetting:
    """One setting: its variable, the value as it may be shown, its origin, its description."""

    variable: str
    value: str
    origin: str
    description: str


@dataclass(frozen=True)
class LoadedSettings(Generic[S]):
    settings: S
    resolved: list[ResolvedSetting]


@dataclass(frozen=True)
class _SettingField:
    path: _FieldPath
    field: FieldInfo

    @property
    def variable_names(self) -> tuple[str, ...]:
        own = ENV_PREFIX + _DELIMITER.join(self.path).upper()
        return (*(mark.name for mark in self.field.metadata if isinstance(mark, EnvVariable)), own)

    @property
    def variables(self) -> tuple[str, ...]:
        return (
            *self.variable_names,
            *((name + _FILE_SUFFIX) for name in self.variable_names if self.can_come_from_file),
        )

    @property
    def display_format(self) -> DisplayFormat | None:
        return next((mark for mark in self.field.metadata if isinstance(mark, DisplayFormat)), None)

    @property
    def is_secret(self) -> bool:
        return SecretStr in _union_members(self.field.annotation)

    @property
    def can_come_from_file(self) -> bool:
        return self.is_secret or (self.display_format is not None and self.display_format.redacts)


@dataclass(frozen=True)
class _GivenValue:
    variable: str
    text: str
    origin: str


def load_from_environment(
    model: type[S],
    environ: Mapping[str, str],
    fallback: Mapping[str, FallbackValue] | None = None,
    *,
    known: Collection[str] = (),
) -> LoadedSettings[S]:
    """Load settings of `model`: environment before fallback before default.

    `known` names further FOOTY_ variables that are read elsewhere. Raises ConfigError, one line per problem.
    """
    leaves = list(_setting_fields(model))
    problems = _find_unknown_variables(leaves, environ, known)
    given: dict[_FieldPath, _GivenValue] = {}
    for leaf in leaves:
        try:
            found = _find_value(leaf, environ) or _find_fallback(leaf, fallback or {})
        except ConfigError as error:
            problems.append(str(error))
        else:
            given |= {leaf.path: found} if found else {}
    settings = _validate_values(model, leaves, given, problems)
    return LoadedSettings(settings, [_resolve_setting(leaf, settings, given.get(leaf.path)) for leaf in leaves])


def list_variables(model: type[BaseModel]) -> list[tuple[str, ...]]:
    """Every variable that `model` reads: first its display name, then its other names."""
    return [leaf.variables for leaf in _setting_fields(model)]


def read_given_values(model: type[BaseModel], environ: Mapping[str, str]) -> dict[str, str]:
    """Return the values that the environment gives, under whichever of their names, by display name."""
    found = ((leaf.variable_names[0], _find_value(leaf, environ)) for leaf in _setting_fields(model))
    return {name: value.text for name, value in found if value is not None}


def variables_of_groups(
    model: type[BaseModel], groups: Collection[str], without_secrets: Collection[str] = ()
) -> set[str]:
    """Variables of the named groups, and of values outside any group. Secrets of the groups `without_secrets` are left
    out.
    """
    return {
        name
        for leaf in _setting_fields(model)
        if (len(leaf.path) == 1 or leaf.path[0] in groups) and not (leaf.is_secret and leaf.path[0] in without_secrets)
        for name in leaf.variables
    }


def _setting_fields(model: type[BaseModel], path: _FieldPath = ()) -> Iterator[_SettingField]:
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _setting_fields(inner, (*path, name))
        else:
            yield _SettingField((*path, name), field)


def _union_members(annotation: Any) -> tuple[Any, ...]:
    """The alternatives of a type: (int, None) for `int | None`."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return tuple(part for member in typing.get_args(annotation) for part in _union_members(member))
    if typing.get_origin(annotation) is typing.Annotated:
        return _union_members(typing.get_args(annotation)[0])
    return (annotation,)


def _find_unknown_variables(
    leaves: list[_SettingField], environ: Mapping[str, str], known: Collection[str]
) -> list[str]:
    names = {name for leaf in leaves for name in leaf.variable_names}
    files = {name + _FILE_SUFFIX for leaf in leaves if leaf.can_come_from_file for name in leaf.variable_names}
    understood = names | files | set(known) | _VARIABLES_READ_ELSEWHERE
    return [
        f"{name} is not a known setting{_suggest_name(name, understood)}"
        for name in sorted(environ)
        if name.startswith(ENV_PREFIX) and name not in understood
    ]


def _suggest_name(name: str, understood: Collection[str]) -> str:
    close = difflib.get_close_matches(name, sorted(understood), n=1, cutoff=0.6)
    return f"; did you mean {close[0]}?" if close else ""


def _find_value(leaf: _SettingField, environ: Mapping[str, str]) -> _GivenValue | None:
    candidates = [
        _GivenValue(name, environ[name], "environment") for name in leaf.variable_names if environ.get(name, "").strip()
    ]
    if leaf.can_come_from_file:
        named = [name + _FILE_SUFFIX for name in leaf.variable_names if environ.get(name + _FILE_SUFFIX, "").strip()]
        candidates += [_read_value_file(name, environ[name].strip()) for name in named]
    if len({candidate.text for candidate in candidates}) > 1:
        listed = " and ".join(candidate.variable for candidate in candidates)
        raise ConfigError(f"{listed} name the same setting with different values; keep one")
    return candidates[0] if candidates else None


def _read_value_file(variable: str, place: str) -> _GivenValue:
    try:
        with Path(place).open("rb") as file:
            content = file.read(_MAX_SECRET_FILE_BYTES + 1)
        text = content.decode().strip()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not text"
        raise ConfigError(f"{variable}={place}: cannot be read ({reason})") from error
    if not text or len(content) > _MAX_SECRET_FILE_BYTES:
        raise ConfigError(f"{variable}={place}: the file is {'empty' if not text else 'too large for a secret'}")
    return _GivenValue(variable, text, f"file {place}")


def _find_fallback(leaf: _SettingField, fallback: Mapping[str, FallbackValue]) -> _GivenValue | None:
    name = next((name for name in leaf.variable_names if name in fallback), None)
    return _GivenValue(name, fallback[name].value, fallback[name].origin) if name else None


def _validate_values(
    model: type[S], leaves: list[_SettingField], given: Mapping[_FieldPath, _GivenValue], problems: list[str]
) -> S:
    tree: dict[str, Any] = {}
    for leaf in leaves:
        _set_value(tree, leaf, given.get(leaf.path))
    try:
        settings = model.model_validate(tree)
    except ValidationError as error:
        problems += [_explain_problem(detail, leaves, given) for detail in error.errors(include_url=False)]
        # No cause: the original's text contains the values, including secrets.
        raise ConfigError("\n".join(problems)) from None
    if problems:
        raise ConfigError("\n".join(problems))
    return settings


def _set_value(tree: dict[str, Any], leaf: _SettingField, found: _GivenValue | None) -> None:
    """Set a value at its path. Groups exist even when empty, so that their own defaults apply."""
    for group in leaf.path[:-1]:
        tree = tree.setdefault(group, {})
    if found:
        tree[leaf.path[-1]] = _parse_value(leaf.field, found.text)


def _parse_value(field: FieldInfo, text: str) -> Any:
    """Lists are comma-separated, mappings are JSON. Text that is not JSON is passed on for the model to reject."""
    members = _union_members(field.annotation)
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


def _explain_problem(detail: ErrorDetails, leaves: list[_SettingField], given: Mapping[_FieldPath, _GivenValue]) -> str:
    place = tuple(part for part in detail["loc"] if isinstance(part, str))
    message = detail["msg"].removeprefix("Value error, ").replace("Input should be", "must be")
    leaf = next((leaf for leaf in leaves if place[: len(leaf.path)] == leaf.path), None)
    if leaf is None:
        inside = [found.variable for path, found in given.items() if path[: len(place)] == place]
        return f"{', '.join(inside) or ENV_PREFIX + _DELIMITER.join(place).upper()}: {message}"
    found = given.get(leaf.path)
    if found is None:
        purpose = f" ({leaf.field.description})" if leaf.field.description else ""
        missing = "is not set, and it has no default" if detail["type"] == "missing" else message
        return f"{leaf.variable_names[0]}{purpose}: {missing}"
    return f"{found.variable}={_display_given(leaf, found)}: {_redact_secret(message, leaf, found)}"


def _display_given(leaf: _SettingField, found: _GivenValue) -> str:
    if leaf.is_secret:
        return _REDACTED
    text = leaf.display_format.render(found.text) if leaf.display_format and leaf.display_format.redacts else found.text
    return _to_one_line(text)


def _redact_secret(message: str, leaf: _SettingField, found: _GivenValue) -> str:
    """Remove the quoted value from a validator's message if it could be a secret. A value of one or two letters occurs
    in every sentence and is not replaced.
    """
    hides = leaf.can_come_from_file and len(found.text) >= _MIN_REDACTED_LENGTH
    return _to_one_line(message.replace(found.text, _REDACTED) if hides else message)


def _to_one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_SHOWN_LENGTH else line[: _MAX_SHOWN_LENGTH - 1] + "…"


def _resolve_setting(leaf: _SettingField, settings: BaseModel, found: _GivenValue | None) -> ResolvedSetting:
    value: Any = settings
    for part in leaf.path:
        value = getattr(value, part)
    description = " ".join((leaf.field.description or "").split())
    variable = found.variable if found else leaf.variable_names[0]
    return ResolvedSetting(
        variable, display_value(value, leaf.display_format), found.origin if found else "default", description
    )


def display_value(value: Any, shown: DisplayFormat | None = None) -> str:
    """Format `value` as the text of a variable; secrets are hidden, unset values are empty."""
    if value is None or value is PydanticUndefined:
        return ""
    if isinstance(value, SecretStr):
        return _REDACTED if value.get_secret_value() else ""
    if shown is not None:
        return _to_one_line(shown.render(value))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple | set | frozenset):
        parts = [display_value(part) for part in value]
        return _to_one_line(",".join(sorted(parts) if isinstance(value, set | frozenset) else parts))
    return _to_one_line(json.dumps(value, default=str) if isinstance(value, dict) else str(value))
