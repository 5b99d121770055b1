"""Images that a person adds to a prompt: a file in, a part of the message out."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tui.core.conversation import ImagePart
from tui.core.errors import UsageError
from tui.tools.results import image_type

LARGEST: Final = 20 * 1024 * 1024
"""Bytes; providers refuse more (Anthropic 5 MB, OpenAI 20 MB) and say so themselves."""


def load_image(path: Path) -> ImagePart:
    """The image in the file at `path`, its type told by its first bytes.

    Raises:
        UsageError: it cannot be read, is too large, or is none of PNG, JPEG, GIF and WebP.
    """
    try:
        data = path.expanduser().read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read the image {str(path)!r}: {error.strerror}") from error
    if len(data) > LARGEST:
        raise UsageError(
            f"the image {str(path)!r} has {len(data):,} bytes",
            hint=f"no provider takes more than {LARGEST:,}; make it smaller",
        )
    media_type = image_type(data)
    if media_type is None:
        raise UsageError(
            f"{str(path)!r} is no image that can be sent", hint="PNG, JPEG, GIF and WebP can be"
        )
    return ImagePart(media_type, data)
