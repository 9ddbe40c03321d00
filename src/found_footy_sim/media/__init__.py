"""Renders H.264 clips of simulated matches; the same description always gives the same bytes."""
