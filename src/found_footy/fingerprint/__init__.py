"""Perceptual fingerprints of videos: are two files copies of one recording, trimmed, re-encoded, mirrored or framed?

compute_fingerprint(path)    one decode pass over a file
compare_fingerprints(a, b)   a FingerprintMatch: score, offset, overlap, mirrored, evidence, matched
profile_match(a, b)          where two clips are alike, second by second, for people
FingerprintIndex             which of many stored fingerprints match this one
Fingerprint                  hash_version "motion:0.125"; to_bytes, from_bytes
DenseFingerprint             hash_version "dense:0.25", the text form; to_text, from_text
"""

from found_footy.fingerprint.comparison import compare_fingerprints
from found_footy.fingerprint.dense_fingerprint import DENSE_VERSION, DenseFingerprint
from found_footy.fingerprint.errors import CorruptFingerprint, Undecodable, VersionMismatch, VideoTooLong
from found_footy.fingerprint.fingerprint_index import FingerprintIndex
from found_footy.fingerprint.match_profile import MatchProfile, SimilarWindow, profile_match
from found_footy.fingerprint.match_result import FingerprintMatch, MatchEvidence
from found_footy.fingerprint.motion_signature import MOTION_VERSION
from found_footy.fingerprint.serialization import MAX_FINGERPRINT_BYTES
from found_footy.fingerprint.video_fingerprint import Fingerprint, compute_fingerprint

__all__ = [
    "DENSE_VERSION",
    "MAX_FINGERPRINT_BYTES",
    "MOTION_VERSION",
    "CorruptFingerprint",
    "DenseFingerprint",
    "Fingerprint",
    "FingerprintIndex",
    "FingerprintMatch",
    "MatchEvidence",
    "MatchProfile",
    "SimilarWindow",
    "Undecodable",
    "VersionMismatch",
    "VideoTooLong",
    "compare_fingerprints",
    "compute_fingerprint",
    "profile_match",
]
