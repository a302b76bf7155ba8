"""The truth of the knowledge base: every entry in all its versions, who brought it and who took it out again."""
