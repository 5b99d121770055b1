"""The errors Verbatim raises on purpose, and nothing else.

One base and a few leaves, each because somebody catches it. Every message says
what was wrong, where, and what to do now. A model's bad arguments are data (see
`finalise`), never an exception.
"""

from __future__ import annotations


class VerbatimError(Exception):
    """Base of every error meant for a person. `str(error)` is one readable sentence or two.

    `hint` says what to do now; the command line and the screen print it on a line of its own.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(VerbatimError):
    """A flag, a config entry or a file given by a person cannot be used (exit status 2)."""


class EndpointError(VerbatimError):
    """The endpoint could not be reached, refused the request, or broke the stream.

    `status` is the HTTP status where one came, `retryable` whether the same request may
    succeed later without a change.
    """

    def __init__(
        self, message: str, *, hint: str = "", status: int | None = None, retryable: bool = False
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.retryable = retryable


class StreamBroken(EndpointError):
    """The connection ended before the transport said that the body was complete.

    Whatever arrived before is true and kept; nothing that it might have allowed is run.
    """


class StoreError(VerbatimError):
    """The database cannot be opened, read or written."""


class ToolError(VerbatimError):
    """A tool could not be loaded or registered (not: a tool that failed, which is a result)."""


class ProtocolViolation(VerbatimError):
    """Our own code fed a machine an event its table has no entry for: a bug, never bad input."""
