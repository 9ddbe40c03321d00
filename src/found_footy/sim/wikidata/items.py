"""Items as the simulated Wikidata keeps them, and as its interfaces show them."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Statement:
    """A value of a property: an item's id, or a text with its language. `ended` statements are history."""

    property: str
    value: str
    language: str = ""
    ended: bool = False
    rank: str = "normal"


@dataclass(frozen=True)
class Item:
    """`labels` and `aliases` by language; `mul` stands for all of them."""

    id: str
    labels: Mapping[str, str]
    description: str = ""
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    statements: Sequence[Statement] = ()
    sitelinks: int = 3

    def values(self, name: str) -> list[str]:
        return [said.value for said in self.statements if said.property == name]

    def match(self, prefix: str) -> tuple[str, str] | None:
        """How a search by prefix hits this item: by its label or an alias, and the text that was hit."""
        for kind, texts in (("label", [*self.labels.values()]), ("alias", self._alias_texts())):
            for text in texts:
                if folded(text).startswith(folded(prefix)):
                    return kind, text
        return None

    def holds(self, words: Sequence[str]) -> bool:
        everything = folded(" ".join([*self.labels.values(), *self._alias_texts(), self.description]))
        return all(folded(word) in everything for word in words)

    def _alias_texts(self) -> list[str]:
        return [text for texts in self.aliases.values() for text in texts]

    def hit(self, prefix: str, uselang: str) -> Json:
        kind, text = self.match(prefix) or ("label", "")
        label = self.labels.get(uselang) or self.labels.get("mul")
        shown: Json = {
            "id": self.id, "title": self.id, "pageid": int(self.id[1:]), "repository": "wikidata",
            "concepturi": f"http://www.wikidata.org/entity/{self.id}", "url": f"//www.wikidata.org/wiki/{self.id}",
            "match": {"type": kind, "language": uselang, "text": text},
        }  # fmt: skip
        shown |= {"label": label} if label else {}
        shown |= {"description": self.description} if self.description else {}
        return shown | ({"aliases": [text]} if kind == "alias" else {})

    def document(self, languages: Sequence[str]) -> Json:
        spoken = {code: text for code, text in self.labels.items() if code in languages}
        claims: dict[str, list[Json]] = {}
        for said in self.statements:
            claims.setdefault(said.property, []).append(_claim(said))
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

    def rows(self, languages: Sequence[str]) -> list[Json]:
        """What a query for all names of this item gives."""
        rows = [_row("label", text, code) for code, text in self.labels.items() if code in languages]
        rows += [_row("alt", text, code) for code, texts in self.aliases.items() if code in languages for text in texts]
        kinds = {"P1449": "nick", "P1813": "short", "P1448": "official"}
        rows += [
            _row(kinds[said.property], said.value, said.language)
            for said in self.statements
            if said.property in kinds and not said.ended
        ]
        return rows


def folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text)
    return "".join(c for c in plain if not unicodedata.combining(c)).casefold()


def _claim(said: Statement) -> Json:
    if said.value in ("somevalue", "novalue"):
        snak: Json = {"snaktype": said.value, "property": said.property}
    elif said.language:
        value: Json = {"value": {"text": said.value, "language": said.language}, "type": "monolingualtext"}
        snak = {"snaktype": "value", "property": said.property, "datavalue": value}
    else:
        pointed = {"entity-type": "item", "numeric-id": int(said.value.lstrip("Q") or 0), "id": said.value}
        snak = {
            "snaktype": "value", "property": said.property,
            "datavalue": {"value": pointed, "type": "wikibase-entityid"},
        }  # fmt: skip
    claim: Json = {"mainsnak": snak, "type": "statement", "rank": said.rank}
    return claim | ({"qualifiers": {"P582": [{"snaktype": "somevalue"}]}} if said.ended else {})


def _row(kind: str, text: str, language: str) -> Json:
    return {
        "kind": {"type": "literal", "value": kind},
        "value": {"xml:lang": language, "type": "literal", "value": text},
    }
