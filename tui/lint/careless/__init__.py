"""Careless clients: honest re-implementations of well-known mistakes, for `tui.lint.contrast` only.

Each takes a scene and says what it would have shown, stored or run. None is used by the pipeline.
"""
