"""ResNet-50 for pictures: made once at set-up from a published package, then used from the data directory."""
