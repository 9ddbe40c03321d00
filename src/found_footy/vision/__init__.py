"""Checks of clips: is it football, is it a filmed screen, and what does the match clock show.

A reader takes the frames of a clip and the expected minute and returns a verdict with its evidence. It knows nothing of
goals, files or databases. If it cannot decide it raises VisionUnavailable, which is never a rejection.
"""
