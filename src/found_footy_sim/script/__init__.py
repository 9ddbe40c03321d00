"""The scenario language: what a script says, and the parser that reads it."""
