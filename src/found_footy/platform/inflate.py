"""Bodies inflated piece by piece: a bomb is met while its first pieces come out, not after."""

import zlib
from collections.abc import Iterator

_PIECE = 64 * 1024
_AUTOMATIC = zlib.MAX_WBITS | 32  # gzip or zlib, by its header
_PLAIN = ("", "identity")
_DEFLATED = ("gzip", "x-gzip", "deflate")


class BadEncoding(ValueError):
    """The body is not what its Content-Encoding says, or is encoded in a way that was not asked for."""


class Inflater:
    """Decodes one body. Encodings on top of each other are refused: nobody serious sends them, bombs do."""

    def __init__(self, encoding: str) -> None:
        name = encoding.strip().lower()
        if name not in _PLAIN + _DEFLATED:
            raise BadEncoding(f"encoded as {name[:50]}, which was not asked for")
        self._inflate = zlib.decompressobj(_AUTOMATIC) if name in _DEFLATED else None
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The decoded pieces that `data` completes, each of bounded size."""
        if self._inflate is None:
            yield data
            return
        self._started = self._started or bool(data)
        try:
            while data:
                yield from _pieces(self._inflate, data)
                data = self._inflate.unused_data
                if data:  # another gzip member follows
                    self._inflate = zlib.decompressobj(_AUTOMATIC)
        except zlib.error as error:
            raise BadEncoding(str(error)) from error

    def finish(self) -> None:
        """BadEncoding if the body ended in the middle."""
        if self._inflate is not None and self._started and not self._inflate.eof:
            raise BadEncoding("it ends before its end")


def _pieces(inflate: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
    while True:
        piece = inflate.decompress(data, _PIECE)
        if piece:
            yield piece
        data = inflate.unconsumed_tail
        if inflate.eof or (not data and len(piece) < _PIECE):
            return
