"""Cloudflare's Workers AI as its clients see it, for tests and demos without an account."""
