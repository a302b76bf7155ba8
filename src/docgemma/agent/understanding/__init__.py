"""From what the reader found in a message to what the turn works with: mentions, look-ups, entries, answers."""
