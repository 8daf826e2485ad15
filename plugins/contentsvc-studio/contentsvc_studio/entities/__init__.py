"""The people and places of a script, found by rules."""
