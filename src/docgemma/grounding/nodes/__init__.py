"""The two nodes of the grounding graph, one file each."""
