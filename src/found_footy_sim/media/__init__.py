"""The media factory: real H.264 clips of matches that never took place, the same bytes for the same description."""
