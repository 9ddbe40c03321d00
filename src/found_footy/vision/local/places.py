"""Where the score bugs of a broadcast are: clips of one match mostly come from the same few channels."""

from collections import OrderedDict
from dataclasses import astuple
from threading import Lock

from found_footy.vision.local.boxes import Box
from found_footy.vision.local.scoreboard import Place

_MOST_BROADCASTS = 256
_MOST_PLACES = 3
_SAME = 0.03


class Places:
    """The last places per broadcast, the most recent first. Safe from several threads."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[Place, ...]] = OrderedDict()
        self._lock = Lock()

    def of(self, broadcast: str) -> tuple[Place, ...]:
        with self._lock:
            return self._known.get(broadcast, ())

    def remember(self, broadcast: str, place: Place) -> None:
        if not broadcast:
            return
        with self._lock:
            others = [known for known in self._known.get(broadcast, ()) if not _alike(known.line, place.line)]
            self._known[broadcast] = (place, *others)[:_MOST_PLACES]
            self._known.move_to_end(broadcast)
            while len(self._known) > _MOST_BROADCASTS:
                self._known.popitem(last=False)


def _alike(one: Box, other: Box) -> bool:
    return all(abs(a - b) <= _SAME for a, b in zip(astuple(one), astuple(other), strict=True))
