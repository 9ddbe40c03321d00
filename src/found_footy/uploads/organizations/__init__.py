"""Organizations: their API keys, sessions and quotas."""
