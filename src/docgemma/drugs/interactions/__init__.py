"""Two drugs together: by ingredient and by class, in the words of a source."""
