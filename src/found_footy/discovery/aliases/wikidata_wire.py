"""Parses Wikidata's answers. Missing parts stay empty; an answer of the wrong form is Malformed. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from found_footy.discovery.aliases.entities import WikidataEntity
from found_footy.discovery.aliases.rules import NameKind, TeamName
from found_footy.platform.errors import Malformed

_SYSTEM = "Wikidata"
_ITEM_ID = re.compile(r"Q[1-9][0-9]{0,11}")
_MAX_TEXT_LENGTH = 300
_MAX_NAMES = 500
_LANGUAGE_PREFERENCE = ("en", "mul")
_KIND_BY_PROPERTY = {"P1449": NameKind.NICK, "P1813": NameKind.SHORT, "P1448": NameKind.OFFICIAL}


def parse_search_ids(body: Mapping[str, Any]) -> tuple[str, ...]:
    """The items of a prefix search. A body without the list is an error, not "no results"."""
    return _parse_ids(body.get("search"), "id")


def parse_title_ids(body: Mapping[str, Any]) -> tuple[str, ...]:
    """The items of a full-text search."""
    query = body.get("query")
    return _parse_ids(query.get("search") if isinstance(query, dict) else None, "title")


def _parse_ids(hits: Any, key: str) -> tuple[str, ...]:
    if not isinstance(hits, list):
        raise Malformed(_SYSTEM, "the answer has no list of results")
    found = [hit.get(key) for hit in hits if isinstance(hit, dict)]
    return tuple(dict.fromkeys(text for text in found if isinstance(text, str) and _ITEM_ID.fullmatch(text)))


def parse_names(body: Any) -> tuple[TeamName, ...]:
    """The rows of a query's answer. A row without a value, or of an unknown kind, is ignored."""
    rows = body.get("results", {}).get("bindings") if isinstance(body, dict) else None
    if not isinstance(rows, list):
        raise Malformed(_SYSTEM, "the query's answer has no rows")
    return tuple(name for row in rows[:_MAX_NAMES] if (name := _parse_name(row)) is not None)


def _parse_name(row: Any) -> TeamName | None:
    kind, value = (row.get("kind"), row.get("value")) if isinstance(row, dict) else (None, None)
    if not isinstance(kind, dict) or not isinstance(value, dict) or kind.get("value") not in set(NameKind):
        return None
    text = value.get("value")
    if not isinstance(text, str):
        return None
    return TeamName(text[:_MAX_TEXT_LENGTH], NameKind(kind["value"]), str(value.get("xml:lang") or "en")[:12])


def parse_entity(raw: Any) -> WikidataEntity | None:
    """None for an item that is missing or has no name."""
    if not isinstance(raw, dict) or "missing" in raw or not _ITEM_ID.fullmatch(str(raw.get("id", ""))):
        return None
    labels, claims = _parse_texts(raw.get("labels")), raw.get("claims")
    claims = claims if isinstance(claims, dict) else {}
    label = _preferred_text(labels)
    if not label:
        return None
    return WikidataEntity(
        id=str(raw["id"]),
        label=label,
        description=_preferred_text(_parse_texts(raw.get("descriptions"))),
        names=tuple(dict.fromkeys([*labels.values(), *_alias_texts(raw.get("aliases"))])),
        classes=frozenset(_item_ids(claims.get("P31"))),
        countries=frozenset(_item_ids(claims.get("P17"))),
        sports=frozenset(_item_ids(claims.get("P641"))),
        has_league="P118" in claims,
        dissolved="P576" in claims,
        sitelinks=len(raw.get("sitelinks") or ()),
        statements={
            kind.value: tuple(_monolingual_texts(claims.get(prop))) for prop, kind in _KIND_BY_PROPERTY.items()
        },
    )


def entity_names(entity: WikidataEntity) -> tuple[TeamName, ...]:
    """The names in an item's own document: equivalent to the query's, for when the query service is unreachable."""
    said = [TeamName(text, NameKind(kind)) for kind, texts in entity.statements.items() for text in texts]
    return (TeamName(entity.label, NameKind.LABEL), *said, *(TeamName(text) for text in entity.names))


def _parse_texts(values: Any) -> dict[str, str]:
    pairs = values.items() if isinstance(values, dict) else ()
    return {
        language: value["value"][:_MAX_TEXT_LENGTH]
        for language, value in pairs
        if isinstance(value, dict) and isinstance(value.get("value"), str)
    }


def _preferred_text(texts: Mapping[str, str]) -> str:
    """English, else the text for all languages, else any."""
    return next(
        (texts[language] for language in _LANGUAGE_PREFERENCE if language in texts), next(iter(texts.values()), "")
    )


def _alias_texts(values: Any) -> Iterator[str]:
    for group in values.values() if isinstance(values, dict) else ():
        for value in group[:_MAX_NAMES] if isinstance(group, list) else ():
            if isinstance(value, dict) and isinstance(value.get("value"), str):
                yield value["value"][:_MAX_TEXT_LENGTH]


def _statement_values(statements: Any) -> Iterator[Any]:
    """The values of a property's statements, except deprecated, unknown and ended ones."""
    for statement in statements if isinstance(statements, list) else ():
        if not isinstance(statement, dict) or statement.get("rank") == "deprecated":
            continue
        if "P582" in (statement.get("qualifiers") or {}):
            continue
        snak = statement.get("mainsnak")
        if isinstance(snak, dict) and snak.get("snaktype") == "value" and isinstance(snak.get("datavalue"), dict):
            yield snak["datavalue"].get("value")


def _item_ids(statements: Any) -> Iterator[str]:
    for value in _statement_values(statements):
        if isinstance(value, dict) and isinstance(value.get("id"), str):
            yield value["id"]


def _monolingual_texts(statements: Any) -> Iterator[str]:
    for value in _statement_values(statements):
        if isinstance(value, dict) and isinstance(value.get("text"), str):
            yield value["text"][:_MAX_TEXT_LENGTH]
