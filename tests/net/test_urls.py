"""Base URLs as people write them, joined to the paths of all dialects."""

import pytest

from tui.core.hosts import is_loopback
from tui.net.urls import host_of, join_url, leads_to_this_machine

MESSAGES, CHAT, RESPONSES = "/v1/messages", "/chat/completions", "/responses"


@pytest.mark.parametrize("base", ["https://x", "https://x/", "https://x/v1", "https://x/v1/"])
@pytest.mark.parametrize("path", [MESSAGES, CHAT, RESPONSES, "/v1/responses"])
def test_with_or_without_v1_every_dialect_finds_its_path(base: str, path: str) -> None:
    assert join_url(base, path) == f"https://x/v1/{path.removeprefix('/v1').lstrip('/')}"


@pytest.mark.parametrize(
    ("base", "path", "url"),
    [
        ("https://h/openai/deployments/foo", CHAT, "https://h/openai/deployments/foo/chat/completions"),
        (
            "https://h/openai/deployments/foo?api-version=2024-10-21",
            CHAT,
            "https://h/openai/deployments/foo/chat/completions?api-version=2024-10-21",
        ),
        ("https://h/api/v1", CHAT, "https://h/api/v1/chat/completions"),
        ("https://h/api/v1", MESSAGES, "https://h/api/v1/messages"),
        ("https://h/v1beta/openai/", CHAT, "https://h/v1beta/openai/chat/completions"),
        ("https://h/anthropic", MESSAGES, "https://h/anthropic/v1/messages"),
        ("https://h/openai/v1/", RESPONSES, "https://h/openai/v1/responses"),
        ("https://h/v1/chat/completions", CHAT, "https://h/v1/chat/completions"),
        ("https://h/v1/messages/", MESSAGES, "https://h/v1/messages"),
        ("http://127.0.0.1:8080", CHAT, "http://127.0.0.1:8080/v1/chat/completions"),
        ("http://[::1]:8080/v1", "/models", "http://[::1]:8080/v1/models"),
        ("https://h?a=1", "/v1/models?limit=9", "https://h/v1/models?a=1&limit=9"),
        ("https://h/v1#part", CHAT, "https://h/v1/chat/completions"),
    ],
)  # fmt: skip
def test_other_base_urls_are_taken_as_they_stand(base: str, path: str, url: str) -> None:
    assert join_url(base, path) == url


def test_the_host_is_shown_without_a_password() -> None:
    assert host_of("https://me:secret@h.example:8443/v1") == "h.example:8443"


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("localhost", True),
        ("LOCALHOST.", True),
        ("model.localhost", True),
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("[::1]", True),
        ("0.0.0.0", False),
        ("10.0.0.1", False),
        ("localhost.example.com", False),
        ("127.0.0.1.example.com", False),
        ("", False),
    ],
)
def test_which_hosts_are_this_machine(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


def test_a_url_leads_to_this_machine_by_its_host_alone() -> None:
    assert leads_to_this_machine("http://127.0.0.1:11434/v1")
    assert leads_to_this_machine("http://[::1]/v1")
    assert not leads_to_this_machine("https://127.0.0.1@evil.example/v1")
