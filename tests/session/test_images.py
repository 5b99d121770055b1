"""Images that go along with a prompt."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.core.conversation import ImagePart
from tui.core.errors import UsageError
from tui.session.images import load_image


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (b"\x89PNG\r\n\x1a\n...", "image/png"),
        (b"\xff\xd8\xff\xe0...", "image/jpeg"),
        (b"GIF89a...", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
    ],
)
def test_the_type_is_told_by_the_first_bytes(tmp_path: Path, data: bytes, media_type: str) -> None:
    file = tmp_path / "picture.txt"
    file.write_bytes(data)
    assert load_image(file) == ImagePart(media_type, data)


def test_what_is_no_image_or_not_there_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("not a picture")
    with pytest.raises(UsageError, match="is no image that can be sent"):
        load_image(tmp_path / "a.png")
    with pytest.raises(UsageError, match="cannot read"):
        load_image(tmp_path / "none.png")
