"""What every stage stands on: settings, stores, Temporal, the safe HTTP client, logs, metrics, errors."""
