"""Chooses the best of several copies of one recording."""

from collections.abc import Collection

from found_footy.archive.dedup.copies import ClipCopy

# Copies whose lengths differ by no more than this factor count as equally long; then the larger file is better.
SAME_LENGTH_RATIO = 1.15


def choose_best(copies: Collection[ClipCopy]) -> ClipCopy:
    """Of the copies about as long as the longest, the largest file; of equally large ones, the longer, then by MD5.

    For two copies: lengths within 15 % → the larger file, else the longer one. Pairwise that would not rank three
    copies (each may beat the next in a circle), so lengths are measured against the longest.
    """
    longest = max(copy.duration for copy in copies)
    as_long = [copy for copy in copies if copy.duration * SAME_LENGTH_RATIO >= longest]
    return min(as_long, key=lambda copy: (-copy.file_size, -copy.duration, copy.md5))
