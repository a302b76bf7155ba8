"""Published articles: what is sought, what a source gives, and which of it comes first."""
