"""Decides whether the file or the machine is at fault when a clip cannot be decoded; for fetch, check and fingerprint.

A fault that the child process reports about the file counts against the file, one about the machine never does. A
decoder that crashes or hangs may be either: it gets a few attempts, and counts against the clip only if the same
worker can decode a reference clip right afterwards. How often that may happen, and over how long, is decided where
candidates are retried.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from temporalio import activity

from found_footy.domain.outcomes import ClipOutcome
from found_footy.platform.errors import DiskFailed, FoundFootyError, Unavailable
from found_footy.platform.media.probe import MediaFault, UnusableMedia
from found_footy.platform.system_errors import translate_disk_errors

DECODER_MAX_ATTEMPTS = 3
_AMBIGUOUS_FAULTS = frozenset({MediaFault.TOO_SLOW, MediaFault.CRASHED})
_OUTCOME_BY_FAULT = {
    MediaFault.PICTURE_SIZE: ClipOutcome.FILTERED_SIZE,
    MediaFault.NO_DURATION: ClipOutcome.FILTERED_DURATION,
    MediaFault.UNSUPPORTED_CODEC: ClipOutcome.UNSUPPORTED_CODEC,
}

T = TypeVar("T")


class DecoderFailed(Unavailable):
    """The machine or the file may be at fault; `run_decoding` decides after the last attempt."""

    def __init__(self, message: str) -> None:
        super().__init__("decoder", message)


class DecoderGaveUp(FoundFootyError):
    """Every attempt within one download has failed, on a machine that decodes the reference clip."""

    retryable = False


def require_file_fault(unusable: UnusableMedia) -> UnusableMedia:
    """Return `unusable` if the file is at fault. Else raise DiskFailed, or DecoderFailed if the cause is unclear."""
    if unusable.fault is MediaFault.MACHINE:
        raise DiskFailed("disk", unusable.detail)
    if unusable.fault in _AMBIGUOUS_FAULTS:
        raise DecoderFailed(f"{unusable.fault}: {unusable.detail}")
    return unusable


def outcome_for_fault(fault: MediaFault) -> ClipOutcome:
    """The outcome of a clip whose file is at fault."""
    return _OUTCOME_BY_FAULT.get(fault, ClipOutcome.DOWNLOAD_FAILED)


async def run_decoding(work: Awaitable[T], is_decoder_working: Callable[[], Awaitable[bool]]) -> T:
    """Run one attempt of an activity that decodes a clip. `is_decoder_working` decodes a reference clip.

    DiskFailed and DecoderFailed are retryable; DecoderGaveUp is not.
    """
    try:
        with translate_disk_errors():
            return await work
    except DecoderFailed as error:
        if activity.info().attempt < DECODER_MAX_ATTEMPTS:
            raise
        if not await is_decoder_working():
            raise Unavailable("decoder", f"{error.message}; the built-in test clip cannot be decoded either") from error
        raise DecoderGaveUp(error.message) from error
