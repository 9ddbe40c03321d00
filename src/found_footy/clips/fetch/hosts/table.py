"""The clip hosts that posts link to, as data: which addresses they have, and where their video files are. Pure.

Hosts move to other domains every few weeks; a new one is a row here, or a name in FOOTY_CLIPS__CLIP_HOSTS, which the
generic rule reads.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

_ID = r"(?P<id>[A-Za-z0-9_-]{1,40})"


class HostMethod(StrEnum):
    """How the file's address is found: in a page, in a list of files, from the id alone, or in a DASH manifest."""

    PAGE = "page"
    LIST = "list"
    STREAMABLE = "streamable"
    FILE = "file"
    MANIFEST = "manifest"


@dataclass(frozen=True)
class HostRule:
    """`sites` are exact hosts, `path` is the form of their addresses. `asked` is the address to ask for an id, the
    page itself if it is empty, `else_asked` the HLS playlist where it has no manifest; `files` are the hosts that files
    come from.
    """

    sites: tuple[str, ...]
    path: str
    method: HostMethod
    asked: str = ""
    files: tuple[str, ...] = ()
    else_asked: str = ""


@dataclass(frozen=True)
class HostLink:
    """An address that a rule covers."""

    rule: HostRule
    id: str
    asked: str

    @property
    def else_asked(self) -> str:
        return self.rule.else_asked.format(id=self.id)


HOST_RULES: tuple[HostRule, ...] = (
    HostRule(
        ("streamain.com", "streama.in"),
        rf"/(?:[a-z]{{2}}/)?{_ID}(?:/watch)?",
        HostMethod.PAGE,
        "https://streamain.com/embed/{id}",
        ("cdn.streamain.com", "media.sportits.com"),
    ),
    HostRule(
        ("streamin.link", "streamin.me", "streamin.one", "streamin.fun", "streamin.top"),
        rf"/v/{_ID}",
        HostMethod.PAGE,
        files=("c-cdn.streamin.top", "w-cdn.streamin.top"),
    ),
    HostRule(
        ("streamff.pro", "streamff.com", "streamff.link", "streamff.live", "streamff.one", "streamff.gg"),
        rf"/[vc]/{_ID}",
        HostMethod.LIST,
        "https://ffedge.streamff.com/share/{id}",
        ("cdn.hostedhost.top",),
    ),
    HostRule(
        ("dubz.link", "dubz.co", "dubz.live", "dubz.cc"),
        rf"/v/{_ID}",
        HostMethod.FILE,
        "https://cdn.squeelab.com/guest/videos/{id}.mp4",
        ("cdn.squeelab.com",),
    ),
    HostRule(
        ("dubz.link", "dubz.co", "dubz.live", "dubz.cc"),
        rf"/c/{_ID}",
        HostMethod.FILE,
        "https://cdn.makevos.com/videos/{id}.mp4",
        ("cdn.makevos.com",),
    ),
    HostRule(("dropr.co",), rf"/v/{_ID}", HostMethod.PAGE, files=("cdn.dropr.co",)),
    HostRule(
        ("streamable.com",),
        rf"/(?:e/)?{_ID}",
        HostMethod.STREAMABLE,
        "https://api.streamable.com/videos/{id}",
        ("*.streamable.com",),
    ),
    HostRule(
        ("v.redd.it",),
        rf"/{_ID}",
        HostMethod.MANIFEST,
        "https://v.redd.it/{id}/DASHPlaylist.mpd",
        ("v.redd.it",),
        "https://v.redd.it/{id}/HLSPlaylist.m3u8",
    ),
)


def generic_rules(hosts: Iterable[str]) -> tuple[HostRule, ...]:
    """Rules for hosts that the owner adds: their pages name the file, which is on the same host."""
    return tuple(HostRule((host,), r"/(?P<id>[^?#]{1,200})", HostMethod.PAGE, files=(host,)) for host in hosts)


def find_host_link(address: str, rules: Iterable[HostRule]) -> HostLink | None:
    """The rule for an address. Hosts are compared whole: `streamff.com.example` is another host. A private host is
    configured with its port and may be asked without encryption.
    """
    try:
        parts = urlsplit(address)
        place = parts.netloc.lower()
        is_private = parts.port is not None
    except ValueError:
        return None
    if parts.scheme != "https" and not (parts.scheme == "http" and is_private):
        return None
    for rule in rules:
        found = re.fullmatch(rule.path, parts.path.rstrip("/") or "/")
        if place in rule.sites and found:
            page = f"{parts.scheme}://{place}{parts.path}"
            return HostLink(rule, found["id"], rule.asked.format(id=found["id"]) if rule.asked else page)
    return None


def asked_hosts(rules: Iterable[HostRule]) -> tuple[str, ...]:
    """Hosts that pages, lists and manifests are requested from."""
    asked = [urlsplit(rule.asked).netloc for rule in rules if rule.asked]
    return tuple(dict.fromkeys([site for rule in rules for site in rule.sites] + asked))


def file_hosts(rules: Iterable[HostRule]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(host for rule in rules for host in rule.files))
