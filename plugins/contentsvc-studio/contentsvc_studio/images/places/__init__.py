"""Illustrated places without people: rooms and open air, drawn from words and a seed."""
