"""A decoder that crashes or hangs: once that may be the machine, which ran out of memory or of time. A file that does
it at every try is at fault.
"""

from found_footy.platform.errors import FoundFootyError, Unavailable
from found_footy.platform.media import MediaFault

DECODER_TRIES = 3
MAYBE_THE_MACHINE = frozenset({MediaFault.TOO_SLOW, MediaFault.CRASHED})


class DecoderFailed(Unavailable):
    """It may be the machine; whoever counts the tries decides when it is the file."""

    def __init__(self, message: str) -> None:
        super().__init__("decoder", message)


class DecoderGaveUp(FoundFootyError):
    """Every try within one download has failed. Another download, hours later, may meet a machine with more room."""

    retryable = False
