"""Verbatim: a terminal chat client that shows tool calls as they form and keeps them byte for byte."""

__version__ = "0.1.0"
