"""The scenario language: the model of a script, and its parser."""
