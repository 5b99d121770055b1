"""What a finished block looks like: a small tree, laid out for a width in cells.

Takes display values whose text is already clean; gives Textual Content whose lines fit. Styles
are names of component classes (`.md--code`), so that a theme decides and may change any time.
Top-level paragraphs are left unwrapped: the widget wraps them, and a selection has no line ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

from textual.content import Content

COMPONENT_CLASSES = frozenset(
    f"md--{name}"
    for name in [
        "h1",
        "h2",
        "h3",
        "code-label",
        "quote",
        "quote-bar",
        "marker",
        "link",
        "url",
        "rule",
        "raw",
    ]
) | {"md--table-head", "md--table-line"}

# Textual blends the ground of a component class away; a style in words keeps it.
CODE_GROUND = "on $panel"
INLINE_CODE = "$accent on $panel"

Alignment = Literal["left", "center", "right"]
BULLETS = "•◦▪"
_LEAST_COLUMN = 4
_MOST_COLUMNS = 40


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: Content


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: Content


@dataclass(frozen=True, slots=True)
class Code:
    text: Content
    language: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    children: tuple[Flow, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """`number` is None in a bullet list."""

    number: int | None
    children: tuple[Flow, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    items: tuple[Item, ...]
    loose: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    alignments: tuple[Alignment, ...]
    head: tuple[Content, ...]
    rows: tuple[tuple[Content, ...], ...]


@dataclass(frozen=True, slots=True)
class Rule:
    pass


@dataclass(frozen=True, slots=True)
class Raw:
    """Source shown as it is: a block that is still open, or too large to lay out."""

    text: Content


Flow = Paragraph | Heading | Code | Quote | Listing | Table | Rule | Raw


def lay_out(flows: Sequence[Flow], width: int) -> Content:
    """`flows` one under the other, a blank line between; lines of at most `width` cells."""
    blocks = [_block(flow, max(width, 8), depth=0) for flow in flows]
    lines: list[Content] = []
    for block in blocks:
        if lines and block:
            lines.append(Content())
        lines.extend(block)
    return Content("\n").join(lines)


def _block(flow: Flow, width: int, depth: int) -> list[Content]:
    match flow:
        case Paragraph(text):
            return _wrapped(text, width) if depth else [text]
        case Heading(level, text):
            return _wrapped(text.stylize_before(f".md--h{min(level, 3)}"), width)
        case Code():
            return _code(flow, width)
        case Quote(children):
            bar = Content.styled("▎ ", ".md--quote-bar")
            inner = _stack(children, width - 2, depth + 1)
            return [bar + line.stylize_before(".md--quote") for line in inner]
        case Listing():
            return _listing(flow, width, depth)
        case Table():
            return _table(flow, width)
        case Rule():
            return [Content.styled("─" * width, ".md--rule")]
        case Raw(text):
            return [text.stylize_before(".md--raw")]
        case _:
            assert_never(flow)


def _stack(flows: Sequence[Flow], width: int, depth: int, *, loose: bool = True) -> list[Content]:
    lines: list[Content] = []
    for flow in flows:
        block = _block(flow, max(width, 8), depth)
        if lines and (loose or not isinstance(flow, Listing)):
            lines.append(Content())
        lines.extend(block)
    return lines


def _wrapped(text: Content, width: int) -> list[Content]:
    return [line.rstrip() for line in text.wrap(max(width, 8))]


def _code(code: Code, width: int) -> list[Content]:
    lines: list[Content] = []
    if code.language:
        label = Content.styled(f" {code.language}"[:width], ".md--code-label")
        lines.append(_padded(label, width).stylize_before(CODE_GROUND))
    for line in code.text.split("\n", allow_blank=True):
        for piece in line.fold(width - 2) if line else [line]:
            row = _padded(Content(" ") + piece, width)
            lines.append(row.stylize_before(CODE_GROUND))
    return lines


def _listing(listing: Listing, width: int, depth: int) -> list[Content]:
    numbers = [item.number for item in listing.items if item.number is not None]
    digits = len(str(max(numbers))) if numbers else 0
    lines: list[Content] = []
    for item in listing.items:
        if item.number is None:
            marker = BULLETS[min(depth // 2, len(BULLETS) - 1)] + " "
        else:
            marker = f"{item.number:>{digits}}. "
        first = Content.styled(marker, ".md--marker")
        rest = Content(" " * len(marker))
        # Depth grows by two: a list in a list has another bullet, a quote in it has not.
        inner = _stack(item.children, width - len(marker), depth + 2, loose=listing.loose)
        if lines and listing.loose:
            lines.append(Content())
        lines.extend(
            (rest if index else first) + line for index, line in enumerate(inner or [Content()])
        )
    return lines


def _table(table: Table, width: int) -> list[Content]:
    widths = _column_widths(table, width)
    if widths is None:
        return _stacked_table(table, width)
    line = Content.styled("─┼─".join("─" * cells for cells in widths), ".md--table-line")
    head = tuple(cell.stylize_before(".md--table-head") for cell in table.head)
    lines = [*_row(head, widths, table.alignments), line]
    for row in table.rows:
        lines.extend(_row(row, widths, table.alignments))
    return lines


def _column_widths(table: Table, width: int) -> list[int] | None:
    """Cells for each column, the widest giving way first; None when they cannot all have a few."""
    columns = len(table.head)
    available = width - 3 * (columns - 1)
    if columns > _MOST_COLUMNS or available < columns * _LEAST_COLUMN:
        return None
    rows = (table.head, *table.rows)
    natural = [
        max(
            1,
            *(
                line.cell_length
                for row in rows
                for line in row[column].split("\n") or [row[column]]
            ),
        )
        for column in range(columns)
    ]
    while (excess := sum(natural) - available) > 0:
        widest = max(natural)
        at_most = max((size for size in natural if size < widest), default=_LEAST_COLUMN)
        tied = [column for column, size in enumerate(natural) if size == widest]
        step = max(1, min(widest - at_most, -(-excess // len(tied))))
        for column in tied:
            natural[column] -= step
    return natural


def _row(
    cells: Sequence[Content], widths: Sequence[int], alignments: Sequence[Alignment]
) -> list[Content]:
    columns = [cell.wrap(width) for cell, width in zip(cells, widths, strict=True)]
    bar = Content.styled(" │ ", ".md--table-line")
    lines: list[Content] = []
    for index in range(max(len(column) for column in columns)):
        parts = [
            _aligned(column[index].rstrip() if index < len(column) else Content(), width, alignment)
            for column, width, alignment in zip(columns, widths, alignments, strict=True)
        ]
        lines.append(bar.join(parts))
    return lines


def _stacked_table(table: Table, width: int) -> list[Content]:
    """A table for a place too narrow for its columns: each cell beside its heading."""
    lines: list[Content] = []
    for row in table.rows:
        if lines:
            lines.append(Content.styled("─" * min(width, 8), ".md--table-line"))
        for name, cell in zip(table.head, row, strict=True):
            label = name.stylize_before(".md--table-head") + Content(": ") if name else Content()
            lines.extend(_wrapped(label + cell, width))
    return lines or [line for cell in table.head for line in _wrapped(cell, width)]


def _aligned(line: Content, width: int, alignment: Alignment) -> Content:
    space = max(width - line.cell_length, 0)
    match alignment:
        case "left":
            return line.pad_right(space)
        case "right":
            return line.pad_left(space)
        case "center":
            return line.pad(space // 2, space - space // 2)


def _padded(line: Content, width: int) -> Content:
    return line.pad_right(max(width - line.cell_length, 0))
