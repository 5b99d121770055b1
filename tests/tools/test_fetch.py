"""Pages come from the public internet only, whatever the model asks and wherever they redirect."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

import httpx
import pytest

from tests.tools.calls import final_call
from tui.core.conversation import ImageContent
from tui.tools.dispatcher import Dispatcher, Outcome
from tui.tools.fetch import FetchLimits, fetch, is_public
from tui.tools.htmltext import html_to_text
from tui.tools.registry import Registry

NAMES = {
    "public.example": ["93.184.215.14"],
    "other.example": ["2606:2800:21f:cb07::1"],
    "inside.example": ["10.0.0.5"],
    "mixed.example": ["93.184.215.14", "127.0.0.1"],
}
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 8


async def _resolve(host: str, port: int) -> Sequence[str]:
    if host in NAMES:
        return NAMES[host]
    try:
        return [str(ipaddress.ip_address(host))]
    except ValueError:
        raise OSError("unknown name") from None


class Web:
    """The pages of a test, by URL as it was asked for, and the requests that came."""

    def __init__(self, pages: Mapping[str, httpx.Response | Callable[[], httpx.Response]]) -> None:
        self.pages = pages
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        page = self.pages[f"{request.url.scheme}://{request.headers['Host']}{request.url.path}"]
        return page if isinstance(page, httpx.Response) else page()

    async def fetch(self, url: str, *, limits: FetchLimits | None = None, **more: Any) -> Outcome:
        source = fetch(limits=limits, resolve=_resolve, transport=httpx.MockTransport(self))
        registry = Registry([source])
        call = final_call("fetch_page", {"url": url, **more}, tools=registry.specs_by_name)
        return await Dispatcher(registry).run(call)


def _html(text: str) -> httpx.Response:
    return httpx.Response(200, html=text)


async def test_a_page_is_returned_as_text_from_the_address_that_was_checked() -> None:
    web = Web({"https://public.example/a": _html("<h1>Prices</h1><p>Tea 3&nbsp;€</p>")})
    outcome = await web.fetch("https://public.example/a")
    assert outcome.result.text == (
        "[https://public.example/a answered 200 OK]\n\n# Prices\n\nTea 3 €"
    )
    (request,) = web.requests
    assert request.url.host == "93.184.215.14"
    assert request.headers["Host"] == "public.example"
    assert request.extensions["sni_hostname"] == "public.example"
    assert "cookie" not in request.headers


async def test_an_ipv6_address_is_connected_to_as_well() -> None:
    web = Web({"http://other.example:8080/": httpx.Response(200, text="six")})
    assert "six" in (await web.fetch("http://other.example:8080/")).result.text
    assert web.requests[0].url.host == "2606:2800:21f:cb07::1"


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://localhost:8080/",
        "http://[::1]/",
        "http://10.1.2.3/",
        "http://169.254.169.254/latest/meta-data",
        "http://[::ffff:127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://0.0.0.0/",
        "http://inside.example/",
        "http://mixed.example/",
        "http://224.0.0.1/",
        "file:///etc/passwd",
        "ftp://public.example/",
        "gopher://public.example/",
        "//public.example/",
        "http://user:secret@public.example/",
        "http://unknown.example/",
        "http://",
        "http://[broken/",
    ],
)
async def test_nothing_but_public_pages_is_even_asked_for(url: str) -> None:
    web = Web({})
    outcome = await web.fetch(url)
    assert outcome.result.is_error
    assert web.requests == []


@pytest.mark.parametrize(
    "target", ["http://inside.example/", "http://127.0.0.1:6379/", "file:///etc/passwd"]
)
async def test_a_redirect_to_a_private_place_is_refused(target: str) -> None:
    web = Web({"http://public.example/": httpx.Response(302, headers={"location": target})})
    outcome = await web.fetch("http://public.example/")
    assert outcome.result.is_error
    assert len(web.requests) == 1


async def test_redirects_are_followed_and_counted() -> None:
    web = Web(
        {
            "http://public.example/": httpx.Response(301, headers={"location": "/next"}),
            "http://public.example/next": httpx.Response(
                307, headers={"location": "https://other.example/end"}
            ),
            "https://other.example/end": httpx.Response(200, text="the end"),
            "http://public.example/round": httpx.Response(302, headers={"location": "/round"}),
        }
    )
    outcome = await web.fetch("http://public.example/")
    assert outcome.result.text.startswith("[https://other.example/end answered 200 OK]")
    endless = await web.fetch("http://public.example/round")
    assert "redirects more than 5 times" in endless.result.text


async def test_a_body_without_end_is_read_to_the_limit() -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"x" * 1000

    web = Web({"http://public.example/": lambda: httpx.Response(200, content=endless())})
    outcome = await web.fetch("http://public.example/", limits=FetchLimits(size=5_000), raw=True)
    assert "[only the first 5,000 bytes were read]" in outcome.result.text
    assert len(outcome.result.text) < 6_000


async def test_a_page_that_never_comes_is_an_error() -> None:
    async def silent() -> AsyncIterator[bytes]:
        await asyncio.Event().wait()
        yield b""

    web = Web({"http://public.example/": lambda: httpx.Response(200, content=silent())})
    outcome = await web.fetch("http://public.example/", limits=FetchLimits(seconds=0.05))
    assert outcome.result.text == "The page did not come within 0.05 s."


async def test_a_long_page_is_read_in_parts() -> None:
    web = Web({"http://public.example/": httpx.Response(200, text="0123456789" * 10)})
    limits = FetchLimits(text=10)
    outcome = await web.fetch("http://public.example/", limits=limits, start=95)
    assert outcome.result.text.endswith("[characters 95 to 100 of 100; see `start`]\n\n56789")


async def test_images_and_other_files_are_told_apart() -> None:
    web = Web(
        {
            "http://public.example/i": httpx.Response(200, content=PNG),
            "http://public.example/z": httpx.Response(
                200, content=b"PK\3\4", headers={"content-type": "application/zip"}
            ),
        }
    )
    image = await web.fetch("http://public.example/i")
    assert image.result.content[1] == ImageContent("image/png", PNG)
    archive = await web.fetch("http://public.example/z")
    assert "application/zip, 4 bytes: not text" in archive.result.text


async def test_an_error_page_is_an_error_with_its_text() -> None:
    web = Web({"http://public.example/": httpx.Response(404, text="gone")})
    outcome = await web.fetch("http://public.example/")
    assert outcome.result.is_error
    assert "answered 404 Not Found]\n\ngone" in outcome.result.text


async def test_an_unknown_charset_does_not_fail() -> None:
    headers = {"content-type": "text/plain; charset=klingon"}
    page = httpx.Response(200, content="ä".encode(), headers=headers)
    assert (
        "ä"
        in (await Web({"http://public.example/": page}).fetch("http://public.example/")).result.text
    )


async def test_a_page_of_this_machine_is_fetched_once_the_user_allows_it() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nlocal"
        )
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        allowed, refused = [
            await Dispatcher(Registry([fetch(allow_private=allow)])).run(
                final_call("fetch_page", {"url": url})
            )
            for allow in (True, False)
        ]
    assert allowed.result.text.endswith("local")
    assert "is not a public address" in refused.result.text


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"])
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>a  \n b</p><p>c</p>", "a b\n\nc"),
        ("x<script>alert('<p>no</p>')</script>y<style>p{}</style>", "xy"),
        ("<svg><svg></svg>no</svg>yes", "yes"),
        ("<ul><li>one<li>two</ul>", "- one\n- two"),
        ("<a href='/b?x=1&amp;y=2'>see</a>", "see <http://h/b?x=1&y=2>"),
        ("<a href='javascript:x()'>see</a> <a href='#top'>up</a>", "see up"),
        ("<pre>a\n  b</pre>", "a\n  b"),
        ("<p>unclosed <b>tags</i></p></div>", "unclosed tags"),
        ("<td>1</td><td>2</td>", "1\t2"),
        ("", ""),
        ("&lt;not a tag&gt; &#x1F600;", "<not a tag> 😀"),
    ],
)
def test_html_becomes_readable_text(html: str, text: str) -> None:
    assert html_to_text(html, "http://h/a") == text
