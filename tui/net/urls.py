"""Where a request goes: a base URL as people write it and a dialect's path in, one URL out."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from tui.core.hosts import is_loopback

__all__ = ["host_of", "join_url", "leads_to_this_machine"]

_VERSION = "/v1"


def join_url(base_url: str, path: str) -> str:
    """The URL of `path` (`/v1/messages`, `/chat/completions`, `/responses`) below `base_url`.

    - A base URL without a path gets `/v1`, one that ends in `/v1` gets no second one: so
      `https://x`, `https://x/`, `https://x/v1` and `https://x/v1/` do for every dialect.
    - Any other base URL is taken as it stands (`.../openai/deployments/foo`, `.../api/v1`).
    - A base URL that already ends in the whole path is the URL.
    - Queries of both (`?api-version=...`) are kept, the base URL's first.
    """
    scheme, netloc, base, base_query, _ = urlsplit(base_url)
    _, _, path, query, _ = urlsplit(path)
    base = base.rstrip("/")
    unversioned = path.removeprefix(_VERSION) if path.startswith(_VERSION + "/") else path
    if base.endswith(unversioned):
        joined = base
    elif base.endswith(_VERSION):
        joined = base + unversioned
    elif base:
        joined = base + path
    else:
        joined = _VERSION + unversioned
    return urlunsplit((scheme, netloc, joined, "&".join(filter(None, (base_query, query))), ""))


def host_of(url: str) -> str:
    """Host and port of `url` as written, for people; never a user name or password."""
    return urlsplit(url).netloc.rpartition("@")[2]


def leads_to_this_machine(url: str) -> bool:
    """Whether `url` names a loopback address."""
    return is_loopback(urlsplit(url).hostname or "")
