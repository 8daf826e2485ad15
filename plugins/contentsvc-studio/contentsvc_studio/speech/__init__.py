"""Voices: espeak-ng, from its wheel, in a process for each text."""
