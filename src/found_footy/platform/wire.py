"""Parts of the models that read the answers of outside systems.

Types are strict: a number that arrives as text is invalid. A field that no decision depends on is declared lenient: if
it is invalid it is empty, and the rest of the answer counts. Unknown fields are dropped.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import PydanticOmit

_MAX_URL_LENGTH = 2_000
_MAX_REASON_LENGTH = 300

T = TypeVar("T")
M = TypeVar("M", bound="WireModel")


class WireModel(BaseModel):
    """An object of an answer. Its errors do not repeat the input, which may hold a token."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, hide_input_in_errors=True)


def parse_or_none(model: type[M], value: Any) -> M | None:
    """Parse an object of an answer; None if it is invalid."""
    try:
        return model.model_validate(value)
    except ValueError:  # also of pydantic itself, if a message would contain half a surrogate pair
        return None


def parse_or_empty(model: type[M], value: Any) -> M:
    """Parse an object of an answer whose model requires no field; empty if it is invalid."""
    return parse_or_none(model, value) or model()


def describe_validation_error(error: ValidationError) -> str:
    """Return the place and the cause of the first error, without the input."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}"[:_MAX_REASON_LENGTH]


def use_default_if_invalid(default: Any) -> WrapValidator:
    def read(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
        try:
            return validate(value)
        except ValueError:
            return default

    return WrapValidator(read)


def _read_as_empty_if_invalid(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    try:
        return validate(value)
    except ValueError:
        return validate({})


def _omit_if_invalid(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    try:
        return validate(value)
    except ValueError:
        raise PydanticOmit from None


def _list_to_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _replace_surrogates(value: Any) -> Any:
    """JSON may contain half a surrogate pair, which neither MongoDB nor JSON in UTF-8 can carry."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value


def _show_as_text(value: Any) -> Any:
    return _replace_surrogates(str(value)) if value else ""


def truncate_to(length: int) -> AfterValidator:
    """Cut a text after `length` characters."""
    return AfterValidator(lambda text: text[:length])


def take_first(count: int) -> BeforeValidator:
    """Drop all but the first `count` items of a list before they are read."""
    return BeforeValidator(lambda value: value[:count] if isinstance(value, list) else value)


def _check_http_url(text: str) -> str:
    if not text.startswith(("https://", "http://")) or len(text) > _MAX_URL_LENGTH or not text.isprintable():
        raise ValueError("not a printable http:// or https:// address of a usable length")
    return text


def _parse_iso_time(value: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise ValueError("not a time with a time zone")
    return moment


def accept_if(is_accepted: Callable[[str], object]) -> AfterValidator:
    """Make a text invalid for which `is_accepted` returns nothing true, such as a pattern's `fullmatch`."""

    def check(text: str) -> str:
        if not is_accepted(text):
            raise ValueError("not of the required form")
        return text

    return AfterValidator(check)


Lenient = Annotated[T | None, use_default_if_invalid(None)]
"""None if it is invalid."""

LenientObject = Annotated[T, WrapValidator(_read_as_empty_if_invalid)]
"""A model without required fields, empty if it is invalid."""

ValidItems = Annotated[tuple[Annotated[T, WrapValidator(_omit_if_invalid)], ...], BeforeValidator(_list_to_tuple)]
"""A list without its invalid items; invalid if it is no list."""

LenientItems = Annotated[ValidItems[T], use_default_if_invalid(())]
"""A list without its invalid items, empty if it is no list."""

PositionedItems = Annotated[tuple[LenientObject[T], ...], BeforeValidator(_list_to_tuple)]
"""A list whose invalid items are empty objects, so that the others keep their positions; invalid if it is no list."""

LenientPositionedItems = Annotated[PositionedItems[T], use_default_if_invalid(())]
"""The same, empty if it is no list."""

LenientValues = LenientObject[dict[str, Annotated[T, WrapValidator(_omit_if_invalid)]]]
"""An object with any names, without its invalid values; empty if it is no object."""

CleanText = Annotated[str, BeforeValidator(_replace_surrogates)]
"""Text without halves of surrogate pairs."""

LenientText = Annotated[CleanText, use_default_if_invalid("")]
"""Empty if it is not text."""

ShownText = Annotated[str, BeforeValidator(_show_as_text)]
"""Text for people: any value as text, empty if there is none."""

HttpLink = Annotated[str, AfterValidator(_check_http_url)]
"""A printable address. Where it may lead is decided by the egress rules of whoever fetches it."""

IsoTime = Annotated[datetime, BeforeValidator(_parse_iso_time)]
"""A time in ISO 8601 with its time zone."""
