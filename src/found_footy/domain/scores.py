"""A score of a match, home side first."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Score:
    home: int
    away: int

    @property
    def reversed(self) -> "Score":
        """The score with the away side first."""
        return Score(self.away, self.home)

    def is_at_least(self, other: "Score") -> bool:
        """Whether both sides have at least as many goals as in `other`."""
        return self.home >= other.home and self.away >= other.away

    def __str__(self) -> str:
        return f"{self.home}–{self.away}"
