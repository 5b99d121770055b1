"""Tools of MCP servers, through the official SDK: an extra, imported when a server is opened."""
