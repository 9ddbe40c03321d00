"""The stadium, and the cameras in it."""
