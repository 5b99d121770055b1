"""An MCP server made with the SDK: the newest protocol, structured results, questions, changes."""

import asyncio
import sys
from typing import Annotated

from mcp.server import MCPServer
from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve, Sample
from mcp_types import CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel

server = MCPServer("modern")


class Size(BaseModel):
    size: int


@server.tool()
async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
async def count(context: Context) -> str:
    """Count to three."""
    for number in range(1, 4):
        await context.report_progress(number, 3, f"at {number}")
    return "counted"


def which_size() -> Elicit[Size]:
    return Elicit("Which size?", Size)


@server.tool()
async def ask(size: Annotated[ElicitationResult[Size], Resolve(which_size)]) -> str:
    """Ask a person for a size."""
    return f"{size.action} {getattr(size, 'data', None)}"


def the_roots() -> ListRoots:
    return ListRoots()


@server.tool()
async def roots(listed: Annotated[ListRootsResult, Resolve(the_roots)]) -> str:
    """Say where it may work."""
    return " ".join(str(root.uri) for root in listed.roots)


def a_poem() -> Sample:
    said = TextContent(type="text", text="Write me a poem")
    return Sample([SamplingMessage(role="user", content=said)], max_tokens=100)


@server.tool()
async def sample(poem: Annotated[CreateMessageResult, Resolve(a_poem)]) -> str:
    """Have the user's model write a poem."""
    return str(poem.content)


@server.tool()
async def grow(context: Context) -> str:
    """Offer one more tool."""

    def grown() -> str:
        """Came later."""
        return "late"

    server.add_tool(grown)
    await context.notify_tools_changed()
    return "grew"


@server.tool()
async def fail() -> str:
    """Fail."""
    raise ValueError("broken on purpose")


@server.tool()
async def hang() -> str:
    """Wait for ever."""
    print("hanging", file=sys.stderr, flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        print("cancelled", file=sys.stderr, flush=True)
    return ""


if __name__ == "__main__":
    server.run()
