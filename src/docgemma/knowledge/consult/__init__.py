"""One consultation: a graph from the question to an answer out of curated entries."""
