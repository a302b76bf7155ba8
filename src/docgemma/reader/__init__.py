"""The trained encoder that reads messages: which requests, in which words, how urgent, and whether they answer."""

from docgemma.reader.contract import Asked, OpenQuestion, Reader, Request, Span

__all__ = ["Asked", "OpenQuestion", "Reader", "Request", "Span"]
