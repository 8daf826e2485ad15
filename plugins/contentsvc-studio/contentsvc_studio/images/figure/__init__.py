"""Illustrated people, drawn from a seed: flat shapes, two tones, never a likeness."""
