"""The tool that fetches a web page as text, from the public internet only.

A model can be talked into asking for anything, so every hop is checked: the name is resolved,
all its addresses must be public, and the connection goes to the address that was checked (a
second look-up could answer differently). Size, time and redirects are limited; no cookies, no
proxy from the environment.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tui.core.conversation import ImageContent, TextContent, ToolSpec
from tui.tools.contract import HandlerTool, RunContext, ToolOutcome
from tui.tools.htmltext import html_to_text
from tui.tools.registry import FixedSource
from tui.tools.results import image_type
from tui.tools.threads import in_daemon_thread

if TYPE_CHECKING:
    import httpx

ORIGIN: Final = "web"
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Host and port to addresses. Raises OSError."""

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_TEXTUAL: Final = ("text/", "application/json", "application/xml", "application/xhtml+xml")


class Refused(Exception):
    """The page cannot be fetched; `str()` is for the model."""


@dataclass(frozen=True, slots=True)
class FetchLimits:
    seconds: float = 30.0
    """For the whole page, redirects included."""
    size: int = 3_000_000
    """Bytes of the body; more is not read."""
    redirects: int = 5
    text: int = 60_000
    """Characters returned unless the model asks for another part."""


def fetch(
    *,
    allow_private: bool = False,
    limits: FetchLimits | None = None,
    resolve: Resolve | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
) -> FixedSource:
    """`fetch_page`. With `allow_private` also from this machine and its network."""
    fetcher = _Fetcher(allow_private, limits or FetchLimits(), resolve or _resolve, transport)
    tool = HandlerTool(_SPEC, ORIGIN, fetcher.fetch_page, fetcher.limits.seconds + 5)
    return FixedSource("fetch", ORIGIN, [tool])


def is_public(address: Address) -> bool:
    """A host on the internet; not this machine, its network, or a group of hosts.

    An IPv6 address that only wraps an IPv4 one counts as that.
    """
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
    return address.is_global and not address.is_multicast and not address.is_reserved


async def _resolve(host: str, port: int) -> Sequence[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


@dataclass(frozen=True, slots=True)
class _Page:
    url: str
    """Where it was found, after the redirects."""
    response: httpx.Response
    body: bytes
    whole: bool


@dataclass(frozen=True, slots=True)
class _Fetcher:
    allow_private: bool
    limits: FetchLimits
    resolve: Resolve
    transport: Any

    async def fetch_page(self, arguments: Mapping[str, Any], context: RunContext) -> ToolOutcome:
        import httpx

        try:
            async with asyncio.timeout(self.limits.seconds):
                page = await self._fetch(arguments["url"], context)
            return await in_daemon_thread(lambda: self._outcome(arguments, page), context)
        except Refused as refused:
            return ToolOutcome.error(str(refused))
        except TimeoutError:
            return ToolOutcome.error(f"The page did not come within {self.limits.seconds:g} s.")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return ToolOutcome.error(
                f"The page cannot be fetched: {str(error) or type(error).__name__}"
            )

    async def _fetch(self, asked_url: str, context: RunContext) -> _Page:
        import httpx

        url = httpx.URL(asked_url)
        async with httpx.AsyncClient(
            trust_env=False, transport=self.transport, timeout=self.limits.seconds
        ) as client:
            for _ in range(self.limits.redirects + 1):
                context.progress(f"fetching {url}")
                request = await self._request(client, url)
                response = await client.send(request, stream=True, follow_redirects=False)
                try:
                    if response.is_redirect and "location" in response.headers:
                        url = url.join(response.headers["location"])
                        continue
                    body, whole = await self._body(response)
                    return _Page(str(url), response, body, whole)
                finally:
                    await response.aclose()
        raise Refused(f"The page redirects more than {self.limits.redirects} times.")

    async def _request(self, client: httpx.AsyncClient, url: httpx.URL) -> httpx.Request:
        """A request to the address that was checked, in the name of the host."""
        if url.scheme not in ("http", "https") or not url.host:
            raise Refused(f"Only http and https pages can be fetched, not {str(url)!r}.")
        if url.userinfo:
            raise Refused("An address with a user name or password is not fetched.")
        address = await self._checked_address(url)
        host = f"[{address}]" if isinstance(address, ipaddress.IPv6Address) else str(address)
        headers = {
            "Host": url.netloc.decode("ascii"),
            "User-Agent": "verbatim (a person's chat client)",
            "Accept": "text/html, text/plain, application/json, image/*;q=0.5, */*;q=0.1",
            # A compressed bomb would pass the limit on its size many times over.
            "Accept-Encoding": "identity",
        }
        return client.build_request(
            "GET", url.copy_with(host=host), headers=headers, extensions={"sni_hostname": url.host}
        )

    async def _checked_address(self, url: httpx.URL) -> Address:
        port = url.port or (443 if url.scheme == "https" else 80)
        try:
            found = [
                ipaddress.ip_address(text.partition("%")[0])
                for text in await self.resolve(url.host, port)
            ]
        except (OSError, UnicodeError) as error:
            raise Refused(f"The host {url.host!r} cannot be found: {error}.") from error
        if not found:
            raise Refused(f"The host {url.host!r} has no address.")
        if not self.allow_private:
            for address in found:
                if not is_public(address):
                    raise Refused(
                        f"{url.host!r} is {address}, which is not a public address. Pages of this"
                        " machine and its network are not fetched unless the user allows it."
                    )
        return found[0]

    async def _body(self, response: httpx.Response) -> tuple[bytes, bool]:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > self.limits.size:
                return bytes(body[: self.limits.size]), False
        return bytes(body), True

    def _outcome(self, arguments: Mapping[str, Any], page: _Page) -> ToolOutcome:
        url, response, body, whole = page.url, page.response, page.body, page.whole
        kind = response.headers.get("content-type", "text/html").partition(";")[0].strip().lower()
        about = f"{url} answered {response.status_code} {response.reason_phrase}".rstrip()
        if whole and (image := image_type(body)) is not None:
            return ToolOutcome((TextContent(about), ImageContent(image, body)))
        if not kind.startswith(_TEXTUAL) and not kind.endswith(("+json", "+xml")):
            return ToolOutcome.error(f"{about} with {kind}, {len(body):,} bytes: not text.")
        text = body.decode(_encoding(response), "replace")
        if kind in ("text/html", "application/xhtml+xml") and not arguments.get("raw"):
            text = html_to_text(text, url)
        first = int(arguments.get("start", 0))
        shown = text[first : first + self.limits.text]
        notes = [f"[{about}]"]
        if not whole:
            notes.append(f"[only the first {self.limits.size:,} bytes were read]")
        if first or first + len(shown) < len(text):
            end = first + len(shown)
            notes.append(f"[characters {first:,} to {end:,} of {len(text):,}; see `start`]")
        content = TextContent("\n".join([*notes, "", shown or "[no text]"]))
        return ToolOutcome((content,), is_error=response.is_error)


def _encoding(response: httpx.Response) -> str:
    name = response.charset_encoding or "utf-8"
    try:
        "".encode(name)
    except LookupError:
        return "utf-8"
    return name


_SPEC: Final = ToolSpec(
    name="fetch_page",
    description="Fetch a page of the public web by http or https and return it as text.",
    schema={
        "type": "object",
        "properties": {
            "url": {"type": "string", "minLength": 1, "maxLength": 4096},
            "start": {
                "type": "integer",
                "minimum": 0,
                "description": "Character to begin with, for the later part of a long page",
            },
            "raw": {"type": "boolean", "description": "The HTML as it is", "default": False},
        },
        "required": ["url"],
        "additionalProperties": False,
    },
)
