"""What a search is about: conditions, topics, status words."""
