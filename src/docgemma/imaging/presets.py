"""The windows a reader may choose from: the file's own first, then those every radiologist knows."""

from __future__ import annotations

from docgemma.imaging.facts import DicomFacts, Function, Window

CT = (
    Window("brain", "Brain", 40, 80),
    Window("subdural", "Subdural", 75, 215),
    Window("stroke", "Stroke", 35, 30),
    Window("bone", "Bone", 480, 2500),
    Window("lung", "Lung", -600, 1500),
    Window("soft-tissue", "Soft tissue", 40, 400),
    Window("mediastinum", "Mediastinum", 50, 350),
    Window("liver", "Liver", 30, 150),
)
BY_NAME = {window.name: window for window in CT}
CHANNELS = ((-1024, 1024), (-135, 215), (0, 80))
"""What MedGemma was taught to see as red, green and blue of a CT slice: everything, soft tissue, brain."""

HEAD = frozenset({"HEAD", "BRAIN", "SKULL", "CEREBELLUM"})


def presets(facts: DicomFacts) -> tuple[Window, ...]:
    """Windows for this image. CT presets need Hounsfield units: on other values they would show nothing true."""
    if facts.photometric not in ("MONOCHROME1", "MONOCHROME2"):
        return ()
    found = list(facts.windows)
    if facts.shown is not None and facts.shown.name == "auto":
        found.append(facts.shown)
    if facts.unit == "HU":
        found.extend(CT)
    return (*found, covering("full", "Full range", facts.low, facts.high, facts.function))


def usual(unit: str, body_part: str) -> Window | None:
    """The window to begin with where the file names none, if its unit allows one."""
    if unit != "HU":
        return None
    return BY_NAME["brain" if body_part in HEAD else "soft-tissue"]


def covering(name: str, label: str, low: float, high: float, function: Function) -> Window:
    """The window in which `low` is the last black value and `high` the first white one."""
    if function == "LINEAR":  # its width counts the values from low to high, both included
        return Window(name, label, (low + high + 1) / 2, high - low + 1)
    return Window(name, label, (low + high) / 2, (high - low) or 1)
