"""Tools from Python functions, MCP servers and people; the dispatcher that runs final calls.

A file of one's own tools needs nothing from here; it may use `tool` to say more about a function
and `RunContext` to report progress.
"""

from tui.tools.contract import RunContext
from tui.tools.marks import tool

__all__ = ["RunContext", "tool"]
