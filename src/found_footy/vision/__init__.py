"""Looking at clips: is it football, is it a screen that was filmed, and what does the match clock say.

A reader takes the frames of a clip and the minute that is expected and gives a verdict with its evidence. It knows
nothing of goals, files or databases. What cannot be told raises VisionUnavailable; it is never taken for a no.
"""
