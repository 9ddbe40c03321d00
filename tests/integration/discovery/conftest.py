"""The stages on real servers."""

from tests.support.pipeline.pipeline_fixtures import outside, pipeline

__all__ = ["outside", "pipeline"]
