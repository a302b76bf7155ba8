"""Images in a turn: which one is meant, what a vision model is shown of it, and what is made of its answer."""
