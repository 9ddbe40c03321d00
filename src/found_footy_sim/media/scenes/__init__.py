"""What else a clip may show: replays, fans' videos, other sports, adverts, a studio."""
