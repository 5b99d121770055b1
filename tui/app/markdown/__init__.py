"""Markdown for the message pane: split while it streams, laid out once per finished block."""
