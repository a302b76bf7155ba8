"""Images from outside, made harmless before anything else looks at them."""

from docgemma.imaging.inspection import ImageFacts, inspect

__all__ = ["ImageFacts", "inspect"]
