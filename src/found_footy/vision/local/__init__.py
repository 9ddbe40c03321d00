"""The reader that needs no server: text recognition for the clock, a classifier and picture measures for the rest."""
