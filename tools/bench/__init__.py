"""Figures of the README, measured against a service of one's own; nothing is simulated."""
