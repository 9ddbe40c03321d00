"""Items of the simulated Wikidata, and their JSON forms."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class ItemStatement:
    """A value of a property: an item's id, or a text with its language. `ended` statements are historical."""

    property: str
    value: str
    language: str = ""
    ended: bool = False
    rank: str = "normal"


@dataclass(frozen=True)
class WikidataItem:
    """`labels` and `aliases` by language; `mul` means all languages."""

    id: str
    labels: Mapping[str, str]
    description: str = ""
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    statements: Sequence[ItemStatement] = ()
    sitelinks: int = 3

    def statement_values(self, name: str) -> list[str]:
        return [statement.value for statement in self.statements if statement.property == name]

    def match_prefix(self, prefix: str) -> tuple[str, str] | None:
        """Return how a prefix search matches this item: by its label or an alias, and the matching text."""
        for kind, texts in (("label", [*self.labels.values()]), ("alias", self._alias_texts())):
            for text in texts:
                if fold_text(text).startswith(fold_text(prefix)):
                    return kind, text
        return None

    def contains_words(self, words: Sequence[str]) -> bool:
        everything = fold_text(" ".join([*self.labels.values(), *self._alias_texts(), self.description]))
        return all(fold_text(word) in everything for word in words)

    def _alias_texts(self) -> list[str]:
        return [text for texts in self.aliases.values() for text in texts]

    def to_search_hit(self, prefix: str, uselang: str) -> Json:
        kind, text = self.match_prefix(prefix) or ("label", "")
        label = self.labels.get(uselang) or self.labels.get("mul")
        shown: Json = {
            "id": self.id,
            "title": self.id,
            "pageid": int(self.id[1:]),
            "repository": "wikidata",
            "concepturi": f"http://www.wikidata.org/entity/{self.id}",
            "url": f"//www.wikidata.org/wiki/{self.id}",
            "match": {"type": kind, "language": uselang, "text": text},
        }
        shown |= {"label": label} if label else {}
        shown |= {"description": self.description} if self.description else {}
        return shown | ({"aliases": [text]} if kind == "alias" else {})

    def to_entity(self, languages: Sequence[str]) -> Json:
        spoken = {code: text for code, text in self.labels.items() if code in languages}
        claims: dict[str, list[Json]] = {}
        for statement in self.statements:
            claims.setdefault(statement.property, []).append(_build_claim(statement))
        return {
            "type": "item",
            "id": self.id,
            "labels": {code: {"language": code, "value": text} for code, text in spoken.items()},
            "descriptions": {"en": {"language": "en", "value": self.description}} if self.description else {},
            "aliases": {
                code: [{"language": code, "value": text} for text in texts]
                for code, texts in self.aliases.items()
                if code in languages
            },
            "claims": claims,
            "sitelinks": {f"wiki{n}": {"site": f"wiki{n}", "title": self.id} for n in range(self.sitelinks)},
        }

    def to_sparql_rows(self, languages: Sequence[str]) -> list[Json]:
        """Return the result rows of a query for all names of this item."""
        rows = [_build_row("label", text, code) for code, text in self.labels.items() if code in languages]
        rows += [
            _build_row("alt", text, code) for code, texts in self.aliases.items() if code in languages for text in texts
        ]
        kinds = {"P1449": "nick", "P1813": "short", "P1448": "official"}
        rows += [
            _build_row(kinds[statement.property], statement.value, statement.language)
            for statement in self.statements
            if statement.property in kinds and not statement.ended
        ]
        return rows


def fold_text(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text)
    return "".join(c for c in plain if not unicodedata.combining(c)).casefold()


def _build_claim(statement: ItemStatement) -> Json:
    if statement.value in ("somevalue", "novalue"):
        snak: Json = {"snaktype": statement.value, "property": statement.property}
    elif statement.language:
        value: Json = {"value": {"text": statement.value, "language": statement.language}, "type": "monolingualtext"}
        snak = {"snaktype": "value", "property": statement.property, "datavalue": value}
    else:
        pointed = {"entity-type": "item", "numeric-id": int(statement.value.lstrip("Q") or 0), "id": statement.value}
        snak = {
            "snaktype": "value",
            "property": statement.property,
            "datavalue": {"value": pointed, "type": "wikibase-entityid"},
        }
    claim: Json = {"mainsnak": snak, "type": "statement", "rank": statement.rank}
    return claim | ({"qualifiers": {"P582": [{"snaktype": "somevalue"}]}} if statement.ended else {})


def _build_row(kind: str, text: str, language: str) -> Json:
    return {
        "kind": {"type": "literal", "value": kind},
        "value": {"xml:lang": language, "type": "literal", "value": text},
    }
