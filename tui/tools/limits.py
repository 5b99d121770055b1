"""How much of a tool's output the model is sent. Whole content in, content that fits out.

What is cut says so at the place of the cut. The whole content is the caller's to keep.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tui.core.conversation import (
    ImageContent,
    JsonContent,
    ResourceContent,
    ResultContent,
    TextContent,
)


@dataclass(frozen=True, slots=True)
class OutputLimits:
    """Bytes of UTF-8 text over all contents of a result; bytes of one image; number of contents."""

    text: int = 100_000
    image: int = 3_750_000
    """Anthropic takes 5 MB of base64 for one image: 3.75 MB of bytes."""
    contents: int = 100


def within(
    content: tuple[ResultContent, ...], limits: OutputLimits
) -> tuple[tuple[ResultContent, ...], bool]:
    """The content that may be sent, and whether anything was cut.

    Text that fits is passed through untouched. Cut JSON becomes text, since it is JSON no more.
    """
    room = limits.text
    kept: list[ResultContent] = []
    cut = False
    for index, item in enumerate(content):
        if index >= limits.contents or (room <= 0 and not isinstance(item, ImageContent)):
            cut = True
            kept.append(TextContent(f"[{len(content) - index} further pieces of output not shown]"))
            break
        if isinstance(item, ImageContent):
            fitting: ResultContent = _image(item, limits)
            cut |= fitting is not item
        else:
            fitting, used, was_cut = _text(item, room)
            room -= used
            cut |= was_cut
        kept.append(fitting)
    return tuple(kept), cut


def _image(item: ImageContent, limits: OutputLimits) -> ResultContent:
    if len(item.data) <= limits.image:
        return item
    return TextContent(
        f"[an image of type {item.media_type} and {len(item.data):,} bytes is left out:"
        f" the limit is {limits.image:,} bytes]"
    )


def _text(
    item: TextContent | JsonContent | ResourceContent, room: int
) -> tuple[ResultContent, int, bool]:
    text = item.raw if isinstance(item, JsonContent) else item.text
    if text is None:
        return item, 0, False
    # A character is four bytes at most: most texts fit without being encoded.
    if len(text) * 4 <= room:
        return item, len(text), False
    # "surrogatepass": half a surrogate pair in a tool's output must not fail here.
    head = text[:room].encode("utf-8", "surrogatepass")
    if len(text) <= room and len(head) <= room:
        return item, len(head), False
    shown = head[:room].decode("utf-8", "ignore") if len(head) > room else text[:room]
    shown += (
        f"\n[cut here: the first {len(shown):,} of {len(text):,} characters are shown."
        " Ask for less at a time to see the rest]"
    )
    if isinstance(item, ResourceContent):
        return replace(item, text=shown), room, True
    return TextContent(shown), room, True
