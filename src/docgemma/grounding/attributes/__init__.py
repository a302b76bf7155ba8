"""What stands beside an entity: whether it is negated, the comparison that holds for it, the time around it."""

from docgemma.grounding.attributes.finding import Attributes, attributes

__all__ = ["Attributes", "attributes"]
