"""The program that fingerprints an untrusted video file, run as a child process under limits.

`python -m found_footy.clips.prints_child SOURCE` prints one JSON object: the fingerprint, or why there is none.
"""

import base64
import json
import sys

from found_footy.fingerprint import fingerprint
from found_footy.platform.errors import BadInput, NotFound
from found_footy.platform.machine import own_fault
from found_footy.platform.media import MediaFault


def main(arguments: list[str]) -> int:
    try:
        found = fingerprint(arguments[0])
        answer = {"print": base64.b64encode(found.to_bytes()).decode("ascii")}
    except (BadInput, NotFound, MemoryError, OSError) as error:
        answer = {"fault": _fault_of(error).value, "detail": f"{type(error).__name__}: {error}"[:300]}
    sys.stdout.write(json.dumps(answer))
    return 0


def _fault_of(error: Exception) -> MediaFault:
    """A file that is not there was cleared away meanwhile, which is not its fault."""
    if isinstance(error, BadInput):
        return MediaFault.CORRUPT
    return MediaFault.MACHINE if isinstance(error, NotFound) else MediaFault(own_fault(error) or MediaFault.CRASHED)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
