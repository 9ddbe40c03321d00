"""The X search service: a separate process that searches with a real, logged-in browser."""
