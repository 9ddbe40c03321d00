"""Football API payloads of a scenario at a moment. Pure."""
