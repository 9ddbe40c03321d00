"""Infrastructure that every stage uses: settings, stores, Temporal, the safe HTTP client, logs, metrics, errors."""
