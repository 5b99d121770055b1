"""From HTML to readable text: headings, paragraphs, lists and links; no scripts, no styles."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Final
from urllib.parse import urljoin

_UNSEEN: Final = frozenset({"script", "style", "noscript", "template", "svg", "iframe", "select"})
_BLOCKS: Final = frozenset(
    {"address", "article", "aside", "blockquote", "div", "dl", "dt", "dd", "fieldset", "figure"}
    | {"footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "main", "nav", "ol"}
    | {"p", "pre", "section", "table", "tr", "ul", "body", "title"}
)
_BLANKS = re.compile(r"[ \t\r\n\f\v\u00a0]+")


def html_to_text(html: str, base_url: str = "") -> str:
    """The text of a page; links as `words <address>`, headings as `# words`, items as `- words`.

    Never raises: broken HTML gives the text that can be made out.
    """
    reader = _Reader(base_url)
    reader.feed(html)
    reader.close()
    return reader.text


class _Reader(HTMLParser):
    def __init__(self, base_url: str) -> None:
        super().__init__(convert_charrefs=True)
        self._base_url = base_url
        self._pieces: list[str] = []
        self._unseen = ""
        """The outermost element whose content is left out, and how often it is open."""
        self._depth = 0
        self._preformatted = 0
        self._links: list[str] = []

    @property
    def text(self) -> str:
        joined = "".join(self._pieces)
        lines = [line.rstrip() for line in joined.split("\n")]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._unseen:
            self._depth += tag == self._unseen
            return
        if tag in _UNSEEN:
            self._unseen, self._depth = tag, 1
        elif tag == "br":
            self._pieces.append("\n")
        elif tag == "li":
            self._pieces.append("\n- ")
        elif tag in ("td", "th"):
            self._pieces.append("\t")
        elif tag == "a":
            self._links.append(self._address(dict(attrs).get("href")))
        elif tag in _BLOCKS:
            self._pieces.append("\n\n")
            self._preformatted += tag == "pre"
            if tag[0] == "h" and tag[1:].isdigit():
                self._pieces.append("#" * int(tag[1:]) + " ")

    def handle_endtag(self, tag: str) -> None:
        if self._unseen:
            self._depth -= tag == self._unseen
            if not self._depth:
                self._unseen = ""
            return
        if tag == "a" and self._links:
            address = self._links.pop()
            if address:
                self._pieces.append(f" <{address}>")
        elif tag in _BLOCKS:
            self._pieces.append("\n\n")
            self._preformatted = max(0, self._preformatted - (tag == "pre"))

    def handle_data(self, data: str) -> None:
        if self._unseen:
            return
        if not self._preformatted:
            data = _BLANKS.sub(" ", data)
            if data.startswith(" ") and (not self._pieces or self._pieces[-1][-1:] in " \n\t"):
                data = data[1:]
        if data:
            self._pieces.append(data)

    def _address(self, href: str | None) -> str:
        if not href or href.startswith(("#", "javascript:", "data:")):
            return ""
        try:
            return urljoin(self._base_url, href)
        except ValueError:
            return ""
