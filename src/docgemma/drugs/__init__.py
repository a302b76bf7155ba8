"""What labels say about a drug and about two together, and the rules that orders are checked by."""
