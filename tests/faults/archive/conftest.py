"""The stages on real servers, for tests that break something."""

from tests.pipeline.rooms import house, outside

__all__ = ["house", "outside"]
