"""Stand-ins for what costs money, as servers that speak a protocol."""
