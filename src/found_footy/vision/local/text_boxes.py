"""Boxes of text in a picture, and the rows they form. Coordinates are relative to the picture's width and height."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Boxes whose heights overlap by this share are on one row.
_MIN_ROW_OVERLAP = 0.5
# Boxes further apart than this many heights are separate texts on the same row.
_MAX_GAP_HEIGHTS = 2.5


@dataclass(frozen=True)
class RelativeBox:
    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def centre(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def expand(self, across: float, down: float) -> "RelativeBox":
        """Enlarge on every side, within the picture."""
        return RelativeBox(
            max(0.0, self.left - across),
            max(0.0, self.top - down),
            min(1.0, self.right + across),
            min(1.0, self.bottom + down),
        )

    @property
    def mirror_image(self) -> "RelativeBox":
        """Return the box in the mirrored picture."""
        return RelativeBox(1.0 - self.right, self.top, 1.0 - self.left, self.bottom)

    def contains_centre(self, other: "RelativeBox") -> bool:
        x, y = other.centre
        return self.left <= x <= self.right and self.top <= y <= self.bottom


WHOLE_PICTURE = RelativeBox(0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True)
class TextBox:
    box: RelativeBox
    text: str
    score: float


@dataclass(frozen=True)
class TextRow:
    """Neighbouring boxes on one line, from left to right."""

    parts: tuple[TextBox, ...]

    @property
    def text(self) -> str:
        return " ".join(part.text for part in self.parts)

    @property
    def box(self) -> RelativeBox:
        return join_boxes(part.box for part in self.parts)

    def boxes_between(self, start: int, end: int) -> tuple[TextBox, ...]:
        """Return the boxes that hold the characters from `start` to `end` of the text."""
        found, position = [], 0
        for part in self.parts:
            if position < end and start < position + len(part.text):
                found.append(part)
            position += len(part.text) + 1
        return tuple(found)


def join_boxes(boxes: Iterable[RelativeBox]) -> RelativeBox:
    every = list(boxes)
    return RelativeBox(
        min(b.left for b in every), min(b.top for b in every), max(b.right for b in every), max(b.bottom for b in every)
    )


def group_rows(boxes: Sequence[TextBox], aspect: float) -> list[TextRow]:
    """Return the rows from top to bottom. `aspect` is the picture's width divided by its height."""
    lines: list[list[TextBox]] = []
    for box in sorted(boxes, key=lambda found: found.box.centre[1]):
        line = next((line for line in lines if _is_same_row(line[-1].box, box.box)), None)
        if line is None:
            lines.append([box])
        else:
            line.append(box)
    return [row for line in lines for row in _split_row(sorted(line, key=lambda found: found.box.left), aspect)]


def _is_same_row(one: RelativeBox, other: RelativeBox) -> bool:
    overlap = min(one.bottom, other.bottom) - max(one.top, other.top)
    return overlap >= _MIN_ROW_OVERLAP * min(one.height, other.height)


def _split_row(line: Sequence[TextBox], aspect: float) -> list[TextRow]:
    pieces = [[line[0]]]
    for box in line[1:]:
        last = pieces[-1][-1].box
        gap = (box.box.left - last.right) * aspect
        if gap > _MAX_GAP_HEIGHTS * max(last.height, box.box.height):
            pieces.append([box])
        else:
            pieces[-1].append(box)
    return [TextRow(tuple(piece)) for piece in pieces]
