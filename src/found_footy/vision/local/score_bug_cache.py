"""Cache of score bug locations per broadcast: clips of one match mostly come from the same few channels."""

from collections import OrderedDict
from dataclasses import astuple
from threading import Lock

from found_footy.vision.local.scoreboard import ScoreBugLocation
from found_footy.vision.local.text_boxes import RelativeBox

_MAX_BROADCASTS = 256
_MAX_LOCATIONS = 3
_SAME_BOX_TOLERANCE = 0.03


class ScoreBugCache:
    """The last locations per broadcast, most recent first. Thread-safe."""

    def __init__(self) -> None:
        self._locations: OrderedDict[str, tuple[ScoreBugLocation, ...]] = OrderedDict()
        self._lock = Lock()

    def get_locations(self, broadcast: str) -> tuple[ScoreBugLocation, ...]:
        with self._lock:
            return self._locations.get(broadcast, ())

    def remember_location(self, broadcast: str, location: ScoreBugLocation) -> None:
        if not broadcast:
            return
        with self._lock:
            others = [
                known
                for known in self._locations.get(broadcast, ())
                if not _is_same_box(known.clock_box, location.clock_box)
            ]
            self._locations[broadcast] = (location, *others)[:_MAX_LOCATIONS]
            self._locations.move_to_end(broadcast)
            while len(self._locations) > _MAX_BROADCASTS:
                self._locations.popitem(last=False)


def _is_same_box(one: RelativeBox, other: RelativeBox) -> bool:
    return all(abs(a - b) <= _SAME_BOX_TOLERANCE for a, b in zip(astuple(one), astuple(other), strict=True))
