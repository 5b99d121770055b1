"""The endpoints that Verbatim knows by name: providers, local servers, and the embedded demo.

A configured endpoint may say `preset = "groq"` and override anything; by their own names they
can be used without any configuration. Models are not preset: they age faster than programs.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tui.config.endpoints import Auth, Endpoint, KeyFromEnvironment, KeySource, NoKey

__all__ = ["DEMO", "PRESETS"]

DEMO: Final = "demo"
"""The endpoint that is used when nothing is configured."""


def _endpoint(
    name: str,
    dialect: str,
    base_url: str,
    *variables: str,
    optional: bool = False,
    auth: Auth = "by-dialect",
) -> Endpoint:
    key: KeySource = KeyFromEnvironment(variables, optional) if variables else NoKey()
    return Endpoint(name, dialect, base_url, key=key, auth=auth, preset=name)


def _demo(name: str, dialect: str) -> Endpoint:
    return Endpoint(name, dialect, model="verbatim-demo", demo=True, preset=name)


_CHAT: Final = "openai-chat"

PRESETS: Final[Mapping[str, Endpoint]] = MappingProxyType(
    {
        endpoint.name: endpoint
        for endpoint in (
            _demo(DEMO, "anthropic"),
            _demo("demo-chat", _CHAT),
            _demo("demo-responses", "openai-responses"),
            _endpoint("anthropic", "anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
            _endpoint("openai", "openai-responses", "https://api.openai.com/v1", "OPENAI_API_KEY"),
            _endpoint("openai-chat", _CHAT, "https://api.openai.com/v1", "OPENAI_API_KEY"),
            # Local servers, on the port they take unless told otherwise.
            _endpoint("ollama", _CHAT, "http://127.0.0.1:11434/v1"),
            _endpoint("llamacpp", _CHAT, "http://127.0.0.1:8080/v1"),
            _endpoint("lmstudio", _CHAT, "http://127.0.0.1:1234/v1"),
            _endpoint("vllm", _CHAT, "http://127.0.0.1:8000/v1", "VLLM_API_KEY", optional=True),
            _endpoint("sglang", _CHAT, "http://127.0.0.1:30000/v1"),
            _endpoint(
                "litellm",
                _CHAT,
                "http://127.0.0.1:4000/v1",
                "LITELLM_API_KEY",
                "LITELLM_MASTER_KEY",
                optional=True,
            ),
            # Providers that speak Chat Completions.
            _endpoint("openrouter", _CHAT, "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
            _endpoint("groq", _CHAT, "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
            _endpoint("mistral", _CHAT, "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
            _endpoint("deepseek", _CHAT, "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
            _endpoint("xai", _CHAT, "https://api.x.ai/v1", "XAI_API_KEY"),
            _endpoint(
                "gemini",
                _CHAT,
                "https://generativelanguage.googleapis.com/v1beta/openai",
                "GEMINI_API_KEY",
                "GOOGLE_API_KEY",
            ),
            _endpoint("together", _CHAT, "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
            # Every Azure resource has a host of its own: base_url has to be configured.
            _endpoint("azure", _CHAT, "", "AZURE_OPENAI_API_KEY", auth="api-key"),
        )
    }
)
