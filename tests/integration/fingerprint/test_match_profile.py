"""Where two clips are alike, second by second."""

from found_footy.fingerprint import Fingerprint, profile_match
from tests.support.fingerprint.encoded_films import PrintOf
from tests.support.fingerprint.scenes import Film, trimmed


def test_a_trimmed_copy_is_alike_where_both_have_pictures(
    print_of: PrintOf, originals: dict[int, tuple[Film, Fingerprint]]
) -> None:
    film, whole = originals[31]
    part = print_of(trimmed(film, 2.0, film.seconds), crf=28)
    for first, second, offset in ((whole, part, 2.0), (part, whole, -2.0)):
        found = profile_match(first, second)
        assert found.match.matched
        assert abs(found.offset - offset) <= 0.13
        assert found.rating >= found.needed
        assert min(window.similarity for window in found.windows if window.motion > 0.2) > 0.5
        assert abs(found.windows[0].start - max(offset, 0.0)) <= 0.13


def test_two_scenes_are_alike_nowhere(originals: dict[int, tuple[Film, Fingerprint]]) -> None:
    found = profile_match(originals[31][1], originals[32][1])
    assert not found.match.matched
    assert found.rating < found.needed
    assert all(window.similarity < 0.5 for window in found.windows)
