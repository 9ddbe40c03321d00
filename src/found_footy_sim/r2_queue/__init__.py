"""A simulated Cloudflare queue with HTTP pull, as R2 fills it."""
