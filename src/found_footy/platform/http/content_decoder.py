"""Incremental decoding of compressed bodies: the size limit stops a decompression bomb at its first pieces."""

import zlib
from collections.abc import Iterator

_MAX_PIECE_BYTES = 64 * 1024
_AUTO_DETECT_WBITS = zlib.MAX_WBITS | 32  # gzip or zlib, by its header
_IDENTITY_ENCODINGS = ("", "identity")
_ZLIB_ENCODINGS = ("gzip", "x-gzip", "deflate")


class ContentDecodingError(ValueError):
    """The body does not match its Content-Encoding, or has an encoding that was not requested."""


class ContentDecoder:
    """Decodes one body. Stacked encodings are rejected: only decompression bombs use them."""

    def __init__(self, encoding: str) -> None:
        name = encoding.strip().lower()
        if name not in _IDENTITY_ENCODINGS + _ZLIB_ENCODINGS:
            raise ContentDecodingError(f"encoded as {name[:50]}, which was not asked for")
        self._decompressor = zlib.decompressobj(_AUTO_DETECT_WBITS) if name in _ZLIB_ENCODINGS else None
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded pieces that `data` completes, each of bounded size."""
        if self._decompressor is None:
            yield data
            return
        self._started = self._started or bool(data)
        try:
            while data:
                yield from _inflate_pieces(self._decompressor, data)
                data = self._decompressor.unused_data
                if data:  # another gzip member follows
                    self._decompressor = zlib.decompressobj(_AUTO_DETECT_WBITS)
        except zlib.error as error:
            raise ContentDecodingError(str(error)) from error

    def finish(self) -> None:
        """Raise ContentDecodingError if the body is truncated."""
        if self._decompressor is not None and self._started and not self._decompressor.eof:
            raise ContentDecodingError("it is truncated")


def _inflate_pieces(inflate: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
    while True:
        piece = inflate.decompress(data, _MAX_PIECE_BYTES)
        if piece:
            yield piece
        data = inflate.unconsumed_tail
        if inflate.eof or (not data and len(piece) < _MAX_PIECE_BYTES):
            return
