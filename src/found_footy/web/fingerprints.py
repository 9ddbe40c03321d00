"""Fingerprints of stored clips, for the pages that show clips in step."""

from found_footy.fingerprint import MAX_FINGERPRINT_BYTES, CorruptFingerprint, Fingerprint, VersionMismatch
from found_footy.platform.errors import NotFound, Refused
from found_footy.web.state import WebState


async def load_fingerprint(web: WebState, key: str) -> Fingerprint | None:
    """None for a clip whose fingerprint is missing or of another version."""
    if not key:
        return None
    try:
        return Fingerprint.from_bytes(await web.deps.objects.get_bytes(key, limit=MAX_FINGERPRINT_BYTES))
    except (NotFound, Refused, CorruptFingerprint, VersionMismatch):
        return None
