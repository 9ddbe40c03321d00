"""The X search service: a process of its own that searches with a real, logged-in browser."""
