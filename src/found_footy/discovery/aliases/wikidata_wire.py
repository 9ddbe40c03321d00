"""Parses Wikidata's answers. Missing parts stay empty; an answer of the wrong form is Malformed. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field

from found_footy.discovery.aliases.entities import WikidataEntity
from found_footy.discovery.aliases.rules import NameKind, TeamName
from found_footy.platform.errors import Malformed
from found_footy.platform.wire import (
    CleanText,
    Lenient,
    LenientItems,
    LenientObject,
    LenientText,
    LenientValues,
    ShownText,
    ValidItems,
    WireModel,
    accept_if,
    parse_or_none,
    take_first,
    truncate_to,
)

SYSTEM = "Wikidata"
_MAX_NAMES = 500
_LANGUAGE_PREFERENCE = ("en", "mul")

_ItemId = Annotated[str, accept_if(re.compile(r"Q[1-9][0-9]{0,11}").fullmatch)]
_Name = Annotated[CleanText, truncate_to(300)]


class SearchHit(WireModel):
    id: _ItemId


class PrefixSearchAnswer(WireModel):
    search: ValidItems[SearchHit]


class TitleHit(WireModel):
    title: _ItemId


class TitleSearch(WireModel):
    search: ValidItems[TitleHit]


class TitleSearchAnswer(WireModel):
    query: TitleSearch


class ApiError(WireModel):
    code: ShownText = ""


class WikidataAnswer(WireModel):
    """The error is in an answer of status 200."""

    error: LenientObject[ApiError] = ApiError()

    @property
    def is_failure(self) -> bool:
        return "error" in self.model_fields_set


class NameKindCell(WireModel):
    value: Annotated[NameKind, Field(strict=False)]


class NameCell(WireModel):
    value: _Name
    language: Annotated[ShownText, truncate_to(12)] = Field("", validation_alias="xml:lang")


class NameRow(WireModel):
    kind: NameKindCell
    value: NameCell


class NameTable(WireModel):
    bindings: Annotated[ValidItems[NameRow], take_first(_MAX_NAMES)]


class NamesAnswer(WireModel):
    results: NameTable


class EntityText(WireModel):
    value: _Name


class SnakValue(WireModel):
    """The value of a statement: another item by its id, or a text in one language."""

    id: Lenient[str] = None
    text: Lenient[_Name] = None


class DataValue(WireModel):
    value: LenientObject[SnakValue] = SnakValue()


class MainSnak(WireModel):
    snaktype: LenientText = ""
    datavalue: Lenient[DataValue] = None


class Qualifiers(WireModel):
    end_time: Any = Field(None, validation_alias="P582")


class Statement(WireModel):
    rank: LenientText = ""
    mainsnak: LenientObject[MainSnak] = MainSnak()
    qualifiers: LenientObject[Qualifiers] = Qualifiers()

    @property
    def is_current(self) -> bool:
        """Neither deprecated nor ended, and with a known value."""
        ended = "end_time" in self.qualifiers.model_fields_set
        return self.rank != "deprecated" and not ended and self.mainsnak.snaktype == "value"


class Claims(WireModel):
    """The properties of an item that are used."""

    instance_of: LenientItems[Statement] = Field((), validation_alias="P31")
    country: LenientItems[Statement] = Field((), validation_alias="P17")
    sport: LenientItems[Statement] = Field((), validation_alias="P641")
    league: Any = Field(None, validation_alias="P118")
    dissolved: Any = Field(None, validation_alias="P576")
    nickname: LenientItems[Statement] = Field((), validation_alias="P1449")
    short_name: LenientItems[Statement] = Field((), validation_alias="P1813")
    official_name: LenientItems[Statement] = Field((), validation_alias="P1448")


_AliasGroup = Annotated[LenientItems[EntityText], take_first(_MAX_NAMES)]


class EntityAnswer(WireModel):
    """One item. One that does not exist has the field `missing`."""

    id: _ItemId
    missing: Any = None
    labels: LenientValues[EntityText] = Field(default_factory=dict)
    descriptions: LenientValues[EntityText] = Field(default_factory=dict)
    aliases: LenientValues[_AliasGroup] = Field(default_factory=dict)
    claims: LenientObject[Claims] = Claims()
    sitelinks: LenientValues[Any] = Field(default_factory=dict)


class EntitiesAnswer(WireModel):
    entities: dict[str, Any]


def parse_search_ids(body: Any) -> tuple[str, ...]:
    """The items of a prefix search. A body without the list is an error, not "no results"."""
    answer = parse_or_none(PrefixSearchAnswer, body)
    if answer is None:
        raise Malformed(SYSTEM, "the answer has no list of results")
    return tuple(dict.fromkeys(hit.id for hit in answer.search))


def parse_title_ids(body: Any) -> tuple[str, ...]:
    """The items of a full-text search."""
    answer = parse_or_none(TitleSearchAnswer, body)
    if answer is None:
        raise Malformed(SYSTEM, "the answer has no list of results")
    return tuple(dict.fromkeys(hit.title for hit in answer.query.search))


def parse_names(body: Any) -> tuple[TeamName, ...]:
    """The rows of a query's answer. A row without a value, or of an unknown kind, is ignored."""
    answer = parse_or_none(NamesAnswer, body)
    if answer is None:
        raise Malformed(SYSTEM, "the query's answer has no rows")
    rows = answer.results.bindings
    return tuple(TeamName(row.value.value, row.kind.value, row.value.language or "en") for row in rows)


def parse_entities(body: Any) -> tuple[WikidataEntity, ...]:
    """The items of an answer; those that are missing or have no name are left out."""
    answer = parse_or_none(EntitiesAnswer, body)
    if answer is None:
        raise Malformed(SYSTEM, "the answer has no entities")
    return tuple(entity for raw in answer.entities.values() if (entity := parse_entity(raw)) is not None)


def parse_entity(raw: Any) -> WikidataEntity | None:
    """None for an item that is missing or has no name."""
    item = parse_or_none(EntityAnswer, raw)
    if item is None or "missing" in item.model_fields_set:
        return None
    labels, claims = _text_by_language(item.labels), item.claims
    label = _preferred_text(labels)
    if not label:
        return None
    aliases = (alias.value for group in item.aliases.values() for alias in group)
    return WikidataEntity(
        id=item.id,
        label=label,
        description=_preferred_text(_text_by_language(item.descriptions)),
        names=tuple(dict.fromkeys([*labels.values(), *aliases])),
        classes=frozenset(_item_ids(claims.instance_of)),
        countries=frozenset(_item_ids(claims.country)),
        sports=frozenset(_item_ids(claims.sport)),
        has_league="league" in claims.model_fields_set,
        dissolved="dissolved" in claims.model_fields_set,
        sitelinks=len(item.sitelinks),
        statements={
            NameKind.NICK.value: tuple(_monolingual_texts(claims.nickname)),
            NameKind.SHORT.value: tuple(_monolingual_texts(claims.short_name)),
            NameKind.OFFICIAL.value: tuple(_monolingual_texts(claims.official_name)),
        },
    )


def entity_names(entity: WikidataEntity) -> tuple[TeamName, ...]:
    """The names in an item's own document: equivalent to the query's, for when the query service is unreachable."""
    said = [TeamName(text, NameKind(kind)) for kind, texts in entity.statements.items() for text in texts]
    return (TeamName(entity.label, NameKind.LABEL), *said, *(TeamName(text) for text in entity.names))


def _text_by_language(texts: Mapping[str, EntityText]) -> dict[str, str]:
    return {language: text.value for language, text in texts.items()}


def _preferred_text(texts: Mapping[str, str]) -> str:
    """English, else the text for all languages, else any."""
    return next(
        (texts[language] for language in _LANGUAGE_PREFERENCE if language in texts), next(iter(texts.values()), "")
    )


def _current_values(statements: Iterable[Statement]) -> Iterator[SnakValue]:
    for statement in statements:
        if statement.is_current and statement.mainsnak.datavalue is not None:
            yield statement.mainsnak.datavalue.value


def _item_ids(statements: Iterable[Statement]) -> Iterator[str]:
    return (value.id for value in _current_values(statements) if value.id is not None)


def _monolingual_texts(statements: Iterable[Statement]) -> Iterator[str]:
    return (value.text for value in _current_values(statements) if value.text is not None)
