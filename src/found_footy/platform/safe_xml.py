"""Parses XML of strangers: without document types, whose entities expand without limit or name files."""

from xml.etree import ElementTree


def parse_xml(body: bytes) -> ElementTree.Element | None:
    """The root element; None if it is no XML, is not encoded as UTF-8, or declares a document type.

    Another encoding would hide a declaration from a search for its letters, so the text is decoded here.
    """
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    if "<!DOCTYPE" in text or "<!ENTITY" in text or "\0" in text:
        return None
    try:
        # Encoded again, because a declared encoding counts only for bytes.
        return ElementTree.fromstring(_without_declaration(text))  # noqa: S314  declarations were refused above
    except (ElementTree.ParseError, ValueError):
        return None


def _without_declaration(text: str) -> str:
    """Without `<?xml … encoding="…"?>`: it could claim another encoding than the one that was read."""
    start = text.lstrip()
    return start.partition("?>")[2] if start.startswith("<?xml") else start
