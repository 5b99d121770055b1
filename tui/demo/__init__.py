"""The embedded demo model: a byte source that speaks every dialect without a network."""
