"""What is checked before a person decides about an entry. Rules alone: no model is asked."""

from docgemma.orders.checks.checker import OrderChecks

__all__ = ["OrderChecks"]
