"""A simulated OpenAI-compatible vision server with scripted answers, delays, malformed answers and outages."""
