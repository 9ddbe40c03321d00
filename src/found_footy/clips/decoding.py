"""Who is at fault when a clip cannot be decoded: one rule for fetching, looking and fingerprinting.

What the child program says of the file is the file's fault. What it says of the machine never is. A decoder that
crashes or hangs may be either's: it gets a few tries, and is counted against the clip only if the same worker can
decode a clip of our own right afterwards. How often that may happen, and over how long, is decided where links are
tried again.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from temporalio import activity

from found_footy.model.outcome import ClipOutcome
from found_footy.platform.errors import DiskFailed, FoundFootyError, Unavailable
from found_footy.platform.machine import own_disk
from found_footy.platform.media import MediaFault, Unusable

DECODER_TRIES = 3
_MAYBE_THE_MACHINE = frozenset({MediaFault.TOO_SLOW, MediaFault.CRASHED})
_OUTCOMES = {
    MediaFault.PICTURE_SIZE: ClipOutcome.FILTERED_SIZE,
    MediaFault.NO_DURATION: ClipOutcome.FILTERED_DURATION,
    MediaFault.UNSUPPORTED_CODEC: ClipOutcome.UNSUPPORTED_CODEC,
}

T = TypeVar("T")


class DecoderFailed(Unavailable):
    """It may be the machine; whoever counts the tries decides when it is the file."""

    def __init__(self, message: str) -> None:
        super().__init__("decoder", message)


class DecoderGaveUp(FoundFootyError):
    """Every try within one download has failed, on a machine that decodes other clips."""

    retryable = False


def blamed_on_the_file(unusable: Unusable) -> Unusable:
    """The same, if it is about the file. Otherwise DiskFailed, or DecoderFailed where nobody can tell."""
    if unusable.fault is MediaFault.MACHINE:
        raise DiskFailed("disk", unusable.detail)
    if unusable.fault in _MAYBE_THE_MACHINE:
        raise DecoderFailed(f"{unusable.fault}: {unusable.detail}")
    return unusable


def outcome_of(fault: MediaFault) -> ClipOutcome:
    """What is said of a clip whose file is at fault."""
    return _OUTCOMES.get(fault, ClipOutcome.DOWNLOAD_FAILED)


async def decoded(work: Awaitable[T], works: Callable[[], Awaitable[bool]]) -> T:
    """The result of one try of an activity that decodes a clip. `works` decodes a clip of our own.

    DiskFailed and DecoderFailed are worth another try; DecoderGaveUp is not.
    """
    try:
        with own_disk():
            return await work
    except DecoderFailed as error:
        if activity.info().attempt < DECODER_TRIES:
            raise
        if not await works():
            raise Unavailable("decoder", f"{error.message}; a clip of our own cannot be decoded either") from error
        raise DecoderGaveUp(error.message) from error
