"""Images from outside, made harmless before anything else looks at them."""

from docgemma.imaging.facts import DicomFacts, Frame, ImageFacts, Window
from docgemma.imaging.inspection import inspect, window
from docgemma.imaging.kept import dicom_facts, from_kept, to_keep
from docgemma.imaging.presented import Presented, presented
from docgemma.imaging.presets import presets
from docgemma.imaging.square import Square
from docgemma.imaging.told import told, warned

__all__ = [
    "DicomFacts",
    "Frame",
    "ImageFacts",
    "Presented",
    "Square",
    "Window",
    "dicom_facts",
    "from_kept",
    "inspect",
    "presented",
    "presets",
    "to_keep",
    "told",
    "warned",
    "window",
]
