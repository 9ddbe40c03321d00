"""The stages on real servers."""

from tests.support.pipeline.pipeline_fixtures import house, outside

__all__ = ["house", "outside"]
