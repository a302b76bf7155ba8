"""The starter pack: a small hand-written set of medicines, so that a fresh installation has something to show offline.

It is a demonstration. Nobody compared it with the current labels, no clinician reviewed it, and what it does not name
is unknown, not safe.
"""

from docgemma.sources.starter.loader import MARK, STARTER_DATE, STARTER_NAME, Medicine, StarterPack, medicines

__all__ = ["MARK", "STARTER_DATE", "STARTER_NAME", "Medicine", "StarterPack", "medicines"]
