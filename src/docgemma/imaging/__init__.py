"""Images from outside, made harmless before anything else looks at them."""

from docgemma.imaging.facts import DicomFacts, ImageFacts, Window
from docgemma.imaging.inspection import inspect, window
from docgemma.imaging.presets import presets

__all__ = ["DicomFacts", "ImageFacts", "Window", "inspect", "presets", "window"]
