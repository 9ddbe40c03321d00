"""Who may use the pages and the API: users with roles, sessions, API keys, one-time links, OpenID Connect."""
