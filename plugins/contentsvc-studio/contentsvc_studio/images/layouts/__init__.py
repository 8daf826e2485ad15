"""Which layouts a request may get, in the order of a batch."""
