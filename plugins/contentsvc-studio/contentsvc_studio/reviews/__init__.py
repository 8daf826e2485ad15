"""Reviews of pictures of people, by rule."""
