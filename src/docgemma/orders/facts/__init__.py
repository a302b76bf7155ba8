"""What a chart says that an order is weighed against, and the version of it that an approval is bound to."""

from docgemma.orders.facts.model import Facts, Known, Recorded
from docgemma.orders.facts.reading import NEEDED, facts_of
from docgemma.orders.facts.versions import version_for

__all__ = ["NEEDED", "Facts", "Known", "Recorded", "facts_of", "version_for"]
