"""Perceptual fingerprints of videos: are two files copies of one recording, trimmed, re-encoded, mirrored or framed?

fingerprint(path)        one decode pass over a file
compare(a, b)            a Match: score, offset, overlap, mirrored, evidence, matched
Index                    which of many stored fingerprints match this one
Fingerprint              hash_version "motion:0.125"; to_bytes, from_bytes
DenseHash                hash_version "dense:0.25", the text form; to_text, from_text
"""

from found_footy.fingerprint.comparison import compare
from found_footy.fingerprint.dense import DENSE_VERSION, DenseHash
from found_footy.fingerprint.errors import CorruptFingerprint, TooLong, Undecodable, VersionMismatch
from found_footy.fingerprint.index import Index
from found_footy.fingerprint.prints import Fingerprint, fingerprint
from found_footy.fingerprint.result import Evidence, Match
from found_footy.fingerprint.signature import MOTION_VERSION

__all__ = [
    "DENSE_VERSION",
    "MOTION_VERSION",
    "CorruptFingerprint",
    "DenseHash",
    "Evidence",
    "Fingerprint",
    "Index",
    "Match",
    "TooLong",
    "Undecodable",
    "VersionMismatch",
    "compare",
    "fingerprint",
]
