"""Detects clips that show another goal of the same fixture."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class OtherGoalClip:
    """A copy that is stored for another goal. `minute` is that goal's."""

    event_id: str
    clip_id: str
    md5: str
    verified: bool
    minute: int
    fingerprint_key: str = ""
    hash_version: str = ""

    @property
    def name(self) -> str:
        """Distinguishes the file from the same bytes stored for this goal."""
        return f"{self.event_id}/{self.md5}"


def find_other_goal_proof(
    verified: bool, minute: int, lookalikes: Iterable[OtherGoalClip], tolerance: int
) -> OtherGoalClip | None:
    """The clip that proves that a file shows another goal, None if there is none.

    A verified file belongs where its clock says. A file without a clock belongs to the goal for which matching footage
    was verified, unless the two goals are so close that the proof could mean either: a clock proves a minute to within
    `tolerance`.
    """
    if verified:
        return None
    proofs = [other for other in lookalikes if other.verified and abs(other.minute - minute) > tolerance]
    return min(proofs, key=lambda other: other.name, default=None)
