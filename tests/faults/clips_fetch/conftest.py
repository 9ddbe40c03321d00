"""The stages on real servers."""

from tests.pipeline.rooms import house, outside

__all__ = ["house", "outside"]
