"""Tests mirror the package: tests/core/test_sse.py tests tui/core/sse.py."""
