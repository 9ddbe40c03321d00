"""ResNet-50 image classifier: built once at set-up from a published package, then loaded from the data directory."""
