"""Tools from Python functions, MCP servers and people; the dispatcher that runs final calls."""
