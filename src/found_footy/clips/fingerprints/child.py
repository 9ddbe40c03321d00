"""The program that fingerprints an untrusted video file, run as a child process under limits.

`python -m found_footy.clips.fingerprints.child SOURCE` prints one JSON object: the fingerprint, or why there is
none.
"""

import base64
import json
import sys

from found_footy.fingerprint import compute_fingerprint
from found_footy.platform.errors import BadInput, NotFound
from found_footy.platform.media.probe import MediaFault
from found_footy.platform.system_errors import classify_system_error


def main(arguments: list[str]) -> int:
    try:
        found = compute_fingerprint(arguments[0])
        answer = {"print": base64.b64encode(found.to_bytes()).decode("ascii")}
    except (BadInput, NotFound, MemoryError, OSError) as error:
        answer = {"fault": _to_media_fault(error).value, "detail": f"{type(error).__name__}: {error}"[:300]}
    sys.stdout.write(json.dumps(answer))
    return 0


def _to_media_fault(error: Exception) -> MediaFault:
    """A missing file was deleted from the cache meanwhile, which is not a fault of the file."""
    if isinstance(error, BadInput):
        return MediaFault.CORRUPT
    return (
        MediaFault.MACHINE
        if isinstance(error, NotFound)
        else MediaFault(classify_system_error(error) or MediaFault.CRASHED)
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
