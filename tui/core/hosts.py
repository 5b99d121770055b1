"""Which host names mean this machine. Names are judged as written; nothing is looked up."""

from __future__ import annotations

import ipaddress

__all__ = ["is_loopback"]


def is_loopback(host: str) -> bool:
    """Whether `host`, a name or an address without port, never leaves this machine (RFC 6761)."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name.strip("[]").partition("%")[0]).is_loopback
    except ValueError:
        return False
