"""Whether the user asks for an entry into a chart, and what no tool does."""
