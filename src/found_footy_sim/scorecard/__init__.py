"""How well a simulated match day went: what the product made of it, held against what really happened there."""
