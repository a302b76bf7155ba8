"""Models at their worst: one that invents, one that boasts, one that obeys whatever it reads."""

from __future__ import annotations

from tests.agent.test_hazards import Inventing
from tests.support.obedient import Obedient
from tests.support.ward import Reassuring as Boasting

__all__ = ["Boasting", "Inventing", "Obedient"]
