"""What the system refuses is told apart from what a file says of itself."""

import errno

import av
import pytest

from found_footy.platform.errors import DiskFailed
from found_footy.platform.system_errors import classify_system_error, translate_disk_errors

OWN = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.ENOENT, errno.EMFILE, errno.ENFILE)
EITHER = (errno.ENOMEM, errno.EIO, errno.EACCES, errno.EPERM)

# The decoder's own numbers are made of letters.
INVALID_DATA = int.from_bytes(b"INDA", "little")


def of_the_decoder(number: int) -> Exception:
    with pytest.raises(av.FFmpegError) as raised:
        av.error.err_check(-number)
    return raised.value


@pytest.mark.parametrize("number", OWN)
def test_an_error_of_the_disk_is_the_machines_fault_whichever_library_reports_it(number: int) -> None:
    assert classify_system_error(OSError(number, "")) == classify_system_error(of_the_decoder(number)) == "machine"


@pytest.mark.parametrize("number", EITHER)
def test_memory_and_failed_reads_may_be_the_machines_fault(number: int) -> None:
    assert classify_system_error(OSError(number, "")) == classify_system_error(of_the_decoder(number)) == "crashed"
    assert classify_system_error(MemoryError()) == "crashed"


def test_what_is_wrong_with_the_file_is_not_the_machines_fault() -> None:
    bad_data = of_the_decoder(INVALID_DATA)
    assert isinstance(bad_data, av.InvalidDataError)
    assert (
        classify_system_error(of_the_decoder(errno.EINVAL))
        is classify_system_error(bad_data)
        is classify_system_error(ValueError())
        is None
    )


def test_an_error_of_the_disk_is_tried_again() -> None:
    with pytest.raises(DiskFailed, match="No space") as raised, translate_disk_errors():
        raise OSError(errno.ENOSPC, "No space left on device")
    assert raised.value.retryable


def test_other_errors_stay_what_they_are() -> None:
    with pytest.raises(TimeoutError), translate_disk_errors():
        raise TimeoutError
