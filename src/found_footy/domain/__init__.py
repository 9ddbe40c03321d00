"""Types, ids and rules that every package shares. Imports only the standard library and itself."""
