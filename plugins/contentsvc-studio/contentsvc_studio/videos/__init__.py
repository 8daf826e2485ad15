"""Clips: camera moves and light over a picture, rendered by a process of their own."""
