"""Images from outside, made harmless before anything else looks at them."""

from docgemma.imaging.decoding import Presented, inspect, present, window
from docgemma.imaging.describing import Caution, cautions_of, describe
from docgemma.imaging.facts import DicomFacts, Frame, ImageFacts, Window
from docgemma.imaging.geometry import Square
from docgemma.imaging.presets import presets
from docgemma.imaging.storing import dicom_facts, from_stored, to_stored

__all__ = [
    "Caution",
    "DicomFacts",
    "Frame",
    "ImageFacts",
    "Presented",
    "Square",
    "Window",
    "cautions_of",
    "describe",
    "dicom_facts",
    "from_stored",
    "inspect",
    "present",
    "presets",
    "to_stored",
    "window",
]
