"""An organization's afternoon: images that are uploaded, replaced and deleted, and notifications that go wrong."""
