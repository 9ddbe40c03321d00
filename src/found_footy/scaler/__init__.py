"""How many workers and searchers there should be: load is measured, a pure function decides, a driver applies."""
