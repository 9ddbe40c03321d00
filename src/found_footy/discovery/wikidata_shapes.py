"""Wikidata's answers as values. What an answer leaves out is left open; what is not an answer is Malformed. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from found_footy.discovery.alias_rules import Kind, Name
from found_footy.discovery.entities import Entity
from found_footy.platform.errors import Malformed

_SYSTEM = "Wikidata"
_ITEM = re.compile(r"Q[1-9][0-9]{0,11}")
_LONGEST_TEXT = 300
_MOST_NAMES = 500
_PREFERENCE = ("en", "mul")
_KINDS = {"P1449": Kind.NICK, "P1813": Kind.SHORT, "P1448": Kind.OFFICIAL}


def search_ids(body: Mapping[str, Any]) -> tuple[str, ...]:
    """The items of a search by prefix. A body without the list is an error, not "no results"."""
    return _ids(body.get("search"), "id")


def title_ids(body: Mapping[str, Any]) -> tuple[str, ...]:
    """The items of a full-text search."""
    query = body.get("query")
    return _ids(query.get("search") if isinstance(query, dict) else None, "title")


def _ids(hits: Any, key: str) -> tuple[str, ...]:
    if not isinstance(hits, list):
        raise Malformed(_SYSTEM, "the answer has no list of results")
    found = [hit.get(key) for hit in hits if isinstance(hit, dict)]
    return tuple(dict.fromkeys(text for text in found if isinstance(text, str) and _ITEM.fullmatch(text)))


def names_from(body: Any) -> tuple[Name, ...]:
    """The rows of a query's answer. A row without a value, or with a kind nobody asked for, is passed over."""
    rows = body.get("results", {}).get("bindings") if isinstance(body, dict) else None
    if not isinstance(rows, list):
        raise Malformed(_SYSTEM, "the query's answer has no rows")
    return tuple(name for row in rows[:_MOST_NAMES] if (name := _name(row)) is not None)


def _name(row: Any) -> Name | None:
    kind, value = (row.get("kind"), row.get("value")) if isinstance(row, dict) else (None, None)
    if not isinstance(kind, dict) or not isinstance(value, dict) or kind.get("value") not in set(Kind):
        return None
    text = value.get("value")
    if not isinstance(text, str):
        return None
    return Name(text[:_LONGEST_TEXT], Kind(kind["value"]), str(value.get("xml:lang") or "en")[:12])


def entity_from(raw: Any) -> Entity | None:
    """None for an item that is missing or has no name."""
    if not isinstance(raw, dict) or "missing" in raw or not _ITEM.fullmatch(str(raw.get("id", ""))):
        return None
    labels, claims = _texts(raw.get("labels")), raw.get("claims")
    claims = claims if isinstance(claims, dict) else {}
    label = _preferred(labels)
    if not label:
        return None
    return Entity(
        id=str(raw["id"]),
        label=label,
        description=_preferred(_texts(raw.get("descriptions"))),
        names=tuple(dict.fromkeys([*labels.values(), *_aliases(raw.get("aliases"))])),
        classes=frozenset(_items(claims.get("P31"))),
        countries=frozenset(_items(claims.get("P17"))),
        sports=frozenset(_items(claims.get("P641"))),
        has_league="P118" in claims,
        dissolved="P576" in claims,
        sitelinks=len(raw.get("sitelinks") or ()),
        statements={kind.value: tuple(_monolingual(claims.get(prop))) for prop, kind in _KINDS.items()},
    )


def entity_names(entity: Entity) -> tuple[Name, ...]:
    """The names that an item's own document holds: the same as the query's, when the query service is out of reach."""
    said = [Name(text, Kind(kind)) for kind, texts in entity.statements.items() for text in texts]
    return (Name(entity.label, Kind.LABEL), *said, *(Name(text) for text in entity.names))


def _texts(values: Any) -> dict[str, str]:
    pairs = values.items() if isinstance(values, dict) else ()
    return {
        language: value["value"][:_LONGEST_TEXT]
        for language, value in pairs
        if isinstance(value, dict) and isinstance(value.get("value"), str)
    }


def _preferred(texts: Mapping[str, str]) -> str:
    """English, else the text for all languages, else any."""
    return next((texts[language] for language in _PREFERENCE if language in texts), next(iter(texts.values()), ""))


def _aliases(values: Any) -> Iterator[str]:
    for group in values.values() if isinstance(values, dict) else ():
        for value in group[:_MOST_NAMES] if isinstance(group, list) else ():
            if isinstance(value, dict) and isinstance(value.get("value"), str):
                yield value["value"][:_LONGEST_TEXT]


def _values(statements: Any) -> Iterator[Any]:
    """The values of a property's statements: not the deprecated ones, not "unknown", not what has ended."""
    for statement in statements if isinstance(statements, list) else ():
        if not isinstance(statement, dict) or statement.get("rank") == "deprecated":
            continue
        if "P582" in (statement.get("qualifiers") or {}):
            continue
        snak = statement.get("mainsnak")
        if isinstance(snak, dict) and snak.get("snaktype") == "value" and isinstance(snak.get("datavalue"), dict):
            yield snak["datavalue"].get("value")


def _items(statements: Any) -> Iterator[str]:
    for value in _values(statements):
        if isinstance(value, dict) and isinstance(value.get("id"), str):
            yield value["id"]


def _monolingual(statements: Any) -> Iterator[str]:
    for value in _values(statements):
        if isinstance(value, dict) and isinstance(value.get("text"), str):
            yield value["text"][:_LONGEST_TEXT]
