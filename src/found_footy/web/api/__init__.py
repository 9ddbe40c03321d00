"""The JSON API for reading. Additive changes only inside v1."""
