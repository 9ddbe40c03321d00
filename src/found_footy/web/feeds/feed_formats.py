"""A feed as RSS 2.0, Atom (RFC 4287) and JSON Feed 1.1. Pure."""

import json
from datetime import datetime
from email.utils import format_datetime

# Only builds XML, whose text it escapes; nothing from outside is parsed.
from xml.etree import ElementTree as Xml

from found_footy.web.feeds.feed_items import FeedChannel, FeedItem

_ATOM = "http://www.w3.org/2005/Atom"
_ITUNES = "http://www.itunes.com/dtds/podcast-1.0.dtd"
_VIDEO_TYPE = "video/mp4"
_AUTHOR = "Found Footy"


def render_rss(channel: FeedChannel) -> bytes:
    root = Xml.Element("rss", {"version": "2.0", "xmlns:atom": _ATOM, "xmlns:itunes": _ITUNES})
    top = Xml.SubElement(root, "channel")
    _add_text(top, "title", channel.title)
    _add_text(top, "link", channel.home_url)
    _add_text(top, "description", channel.description)
    _add_text(top, "lastBuildDate", _format_rfc822(channel.updated))
    Xml.SubElement(top, "atom:link", {"href": channel.self_url, "rel": "self", "type": "application/rss+xml"})
    for item in channel.items:
        _add_rss_item(Xml.SubElement(top, "item"), item)
    return _serialize(root)


def _add_rss_item(row: Xml.Element, item: FeedItem) -> None:
    _add_text(row, "title", item.title)
    _add_text(row, "link", item.url)
    _add_text(row, "description", item.summary)
    _add_text(row, "guid", item.id).set("isPermaLink", "false")
    _add_text(row, "pubDate", _format_rfc822(item.published))
    _add_text(row, "category", item.league)
    # RSS requires a length, and takes 0 where it is not known.
    Xml.SubElement(row, "enclosure", {"url": item.video.url, "length": str(item.video.size or 0), "type": _VIDEO_TYPE})
    if item.video.seconds is not None:
        _add_text(row, "itunes:duration", str(round(item.video.seconds)))


def render_atom(channel: FeedChannel) -> bytes:
    root = Xml.Element("feed", {"xmlns": _ATOM})
    _add_text(root, "id", channel.self_url)
    _add_text(root, "title", channel.title)
    _add_text(root, "subtitle", channel.description)
    _add_text(root, "updated", _format_rfc3339(channel.updated))
    Xml.SubElement(root, "link", {"rel": "self", "href": channel.self_url, "type": "application/atom+xml"})
    Xml.SubElement(root, "link", {"rel": "alternate", "href": channel.home_url, "type": "text/html"})
    _add_text(Xml.SubElement(root, "author"), "name", _AUTHOR)
    for item in channel.items:
        _add_atom_entry(Xml.SubElement(root, "entry"), item)
    return _serialize(root)


def _add_atom_entry(row: Xml.Element, item: FeedItem) -> None:
    _add_text(row, "id", item.id)
    _add_text(row, "title", item.title)
    _add_text(row, "published", _format_rfc3339(item.published))
    _add_text(row, "updated", _format_rfc3339(item.updated))
    Xml.SubElement(row, "link", {"rel": "alternate", "href": item.url, "type": "text/html"})
    enclosure = {"rel": "enclosure", "href": item.video.url, "type": _VIDEO_TYPE}
    Xml.SubElement(row, "link", enclosure | ({"length": str(item.video.size)} if item.video.size else {}))
    Xml.SubElement(row, "category", {"term": item.league})
    _add_text(row, "summary", item.summary)


def render_json_feed(channel: FeedChannel) -> bytes:
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": channel.title,
        "description": channel.description,
        "home_page_url": channel.home_url,
        "feed_url": channel.self_url,
        "language": "en",
        "authors": [{"name": _AUTHOR}],
        "items": [_build_json_item(item) for item in channel.items],
    }
    return json.dumps(feed, ensure_ascii=False, indent=1).encode()


def _build_json_item(item: FeedItem) -> dict[str, object]:
    video: dict[str, object] = {"url": item.video.url, "mime_type": _VIDEO_TYPE}
    video |= {"size_in_bytes": item.video.size} if item.video.size else {}
    video |= {"duration_in_seconds": item.video.seconds} if item.video.seconds else {}
    row: dict[str, object] = {
        "id": item.id,
        "url": item.url,
        "title": item.title,
        "content_text": item.summary,
        "date_published": _format_rfc3339(item.published),
        "date_modified": _format_rfc3339(item.updated),
        "tags": [item.league],
        "attachments": [video],
    }
    return row | ({"image": item.video.poster_url} if item.video.poster_url else {})


def _add_text(parent: Xml.Element, name: str, text: str) -> Xml.Element:
    element = Xml.SubElement(parent, name)
    element.text = text
    return element


def _serialize(root: Xml.Element) -> bytes:
    Xml.indent(root)
    text: bytes = Xml.tostring(root, encoding="utf-8", xml_declaration=True)
    return text


def _format_rfc822(moment: datetime) -> str:
    return format_datetime(moment.replace(microsecond=0))


def _format_rfc3339(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
