"""Encoded films and their fingerprints."""

from tests.support.fingerprint.encoded_films import clip, encoded, originals, print_of

__all__ = ["clip", "encoded", "originals", "print_of"]
