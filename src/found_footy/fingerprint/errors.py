"""Errors of fingerprints. All are caused by the input: a retry gives the same result.

BadInput
├── Undecodable            the file holds no readable video
├── VideoTooLong           more video than a fingerprint covers
├── CorruptFingerprint     bytes or text that are not a fingerprint
└── VersionMismatch        two fingerprints of different algorithms, which cannot be compared
"""

from found_footy.platform.errors import BadInput


class Undecodable(BadInput):
    pass


class VideoTooLong(BadInput):
    pass


class CorruptFingerprint(BadInput):
    pass


class VersionMismatch(BadInput):
    def __init__(self, one: str, other: str) -> None:
        super().__init__(f"fingerprints of version {one} and {other} cannot be compared")
        self.one = one
        self.other = other

    def __reduce__(self) -> tuple[type["VersionMismatch"], tuple[str, str]]:
        return (type(self), (self.one, self.other))
