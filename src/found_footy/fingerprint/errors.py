"""What can go wrong with a fingerprint. All of them are the input's fault: trying again gives the same answer.

BadInput
├── Undecodable            the file holds no video that can be read
├── TooLong                more video than a fingerprint is made for
├── CorruptFingerprint     bytes or text that are not a fingerprint
└── VersionMismatch        two fingerprints made by different algorithms; there is no honest answer
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
