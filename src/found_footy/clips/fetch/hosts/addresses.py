"""Addresses in the answers of clip hosts, which may be no addresses at all. Pure."""

from urllib.parse import urljoin, urlsplit


def join_address(base: str, text: str) -> str:
    """The address that a text on a page means; empty if it is none."""
    try:
        return urljoin(base, text)
    except ValueError:
        return ""


def is_mp4_address(address: str) -> bool:
    try:
        return urlsplit(address).path.lower().endswith(".mp4")
    except ValueError:
        return False
