"""The MCP client: every tool call, in process or on another server, ends in one typed result."""

from docgemma.toolbox.remote import Remote
from docgemma.toolbox.toolbox import Route, Toolbox, pins

__all__ = ["Remote", "Route", "Toolbox", "pins"]
