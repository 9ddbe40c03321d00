"""The pages and routes of organization uploads."""
