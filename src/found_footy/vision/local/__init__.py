"""The reader that needs no server: text recognition for the clock, a classifier and picture features for the rest."""
