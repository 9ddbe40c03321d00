"""Who moves where, and what players look like."""
