"""A vision server, simulated: OpenAI-compatible, with answers, delays, nonsense and outages as a script has them."""
