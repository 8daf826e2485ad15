"""Scripts of advertising films, composed from what the customer says of the product."""
