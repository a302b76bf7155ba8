"""One door to the network."""
