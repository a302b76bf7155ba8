"""DocGemma: a clinical agent that a small open model can drive safely."""

__version__ = "0.1.0"
