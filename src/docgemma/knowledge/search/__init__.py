"""From a question to the entries that answer it: words, meaning, the two put together, and whether any fits at all."""
