"""Finds H.264 packets that no other picture references: leaving one out changes only its own picture."""

_CODED_SLICES = range(1, 6)  # nal_unit_type of slices and slice partitions


def length_prefix_size(extradata: bytes | None) -> int:
    """Return how many bytes hold a unit's length (MP4, Matroska); 0 for start codes (MPEG-TS)."""
    if extradata and len(extradata) > 4 and extradata[0] == 1:
        return (extradata[4] & 3) + 1
    return 0


def is_disposable(packet: bytes | memoryview, prefix: int) -> bool:
    """Whether every coded slice has `nal_ref_idc` 0. A packet that cannot be parsed is kept."""
    headers = _parse_length_prefixed(packet, prefix) if prefix else _parse_start_coded(bytes(packet))
    slices = [header for header in headers if header & 31 in _CODED_SLICES]
    return bool(slices) and all(header >> 5 & 3 == 0 for header in slices)


def _parse_length_prefixed(packet: bytes | memoryview, prefix: int) -> list[int]:
    at, end, headers = 0, len(packet), []
    while at + prefix < end:
        size = int.from_bytes(packet[at : at + prefix], "big")
        if size == 0 or at + prefix + size > end:
            return []
        headers.append(packet[at + prefix])
        at += prefix + size
    return headers


def _parse_start_coded(packet: bytes) -> list[int]:
    headers, at = [], packet.find(b"\0\0\1")
    while 0 <= at < len(packet) - 3:
        headers.append(packet[at + 3])
        at = packet.find(b"\0\0\1", at + 3)
    return headers
