"""The stored form of a decoded picture between the activity that decodes it and the one that classifies it: width,
height and RGB bytes, so that reading it back needs no decoder.
"""

import struct

import numpy as np

from found_footy.platform.errors import Malformed
from found_footy.platform.media.frames import Pixels
from found_footy.platform.media.image_rules import is_picture_size

_HEADER = struct.Struct(">4sHH")
_SIGNATURE = b"RGB1"


def pack_pixels(pixels: Pixels) -> bytes:
    height, width, _ = pixels.shape
    return _HEADER.pack(_SIGNATURE, width, height) + pixels.tobytes()


def unpack_pixels(data: bytes) -> Pixels:
    """Raises Malformed unless these are the bytes of `pack_pixels`."""
    if len(data) < _HEADER.size:
        raise Malformed("object store", "a decoded picture is cut off")
    signature, width, height = _HEADER.unpack_from(data)
    if signature != _SIGNATURE or not is_picture_size(width, height):
        raise Malformed("object store", "what is stored is no decoded picture")
    if len(data) != _HEADER.size + width * height * 3:
        raise Malformed("object store", "a decoded picture is cut off")
    return np.frombuffer(data, np.uint8, offset=_HEADER.size).reshape(height, width, 3)
