"""Presets, endpoints from flags, keys on demand, and what an endpoint still lacks."""

import sys
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tui.config import PRESETS, endpoint_from_flags, resolve_headers, resolve_key, status_of
from tui.config.endpoints import (
    Endpoint,
    KeyFromCommand,
    KeyFromEnvironment,
    KeyFromKeyring,
    KeySource,
    NoKey,
)
from tui.config.keys import run_key_command
from tui.config.table import url_problem
from tui.core import dialects
from tui.core.errors import UsageError

KEY = "sk-1234567890"


def endpoint(key: KeySource | None = None, **settings: object) -> Endpoint:
    base = Endpoint("test", "openai-chat", "https://api.example.com/v1", "m", key or NoKey())
    return replace(base, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_presets_are_usable_endpoints(preset: Endpoint) -> None:
    assert preset.dialect in dialects.NAMES
    assert preset.preset == preset.name
    if preset.demo:
        assert (preset.base_url, preset.key) == ("", NoKey())
    elif preset.name != "azure":
        assert url_problem(preset.base_url) == ""


def test_the_demo_speaks_every_dialect() -> None:
    assert {preset.dialect for preset in PRESETS.values() if preset.demo} == set(dialects.NAMES)


def names_of(source: KeySource) -> tuple[str, ...]:
    assert isinstance(source, KeyFromEnvironment)
    assert source.optional
    return source.names


@pytest.mark.parametrize(
    ("dialect", "base_url", "names"),
    [
        ("anthropic", "http://127.0.0.1:8080", ("VERBATIM_API_KEY", "ANTHROPIC_API_KEY")),
        ("openai-chat", "https://gw.example/v1", ("VERBATIM_API_KEY", "OPENAI_API_KEY")),
        ("openai-chat", "https://api.groq.com/openai/v1", ("VERBATIM_API_KEY", "GROQ_API_KEY")),
        ("anthropic", "https://API.deepseek.com/anthropic",
         ("VERBATIM_API_KEY", "DEEPSEEK_API_KEY")),
        ("openai-chat", "http://127.0.0.1:4000",
         ("VERBATIM_API_KEY", "LITELLM_API_KEY", "LITELLM_MASTER_KEY")),
        ("openai-chat", "http://192.0.2.1/v1", ("VERBATIM_API_KEY",)),
        ("openai-chat", "http://gw.example/v1", ("VERBATIM_API_KEY",)),
    ],
)  # fmt: skip
def test_which_key_an_endpoint_from_flags_may_use(
    dialect: str, base_url: str, names: tuple[str, ...]
) -> None:
    made = endpoint_from_flags(dialect, base_url, "m", presets=PRESETS)
    assert (made.dialect, made.base_url, made.model) == (dialect, base_url, "m")
    assert names_of(made.key) == names


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (("openai", "https://h", "m"), "no dialect 'openai'"),
        (("anthropic", "h", "m"), "--base-url: this is no URL"),
        (("anthropic", "https://h", " "), "--model is empty"),
    ],
)
def test_wrong_flags_are_usage_errors(flags: tuple[str, str, str], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        endpoint_from_flags(*flags, presets=PRESETS)


def test_the_first_variable_that_is_set_is_the_key_without_blanks() -> None:
    source = KeyFromEnvironment(("A", "B", "C"))
    assert resolve_key(endpoint(source), {"A": " ", "B": f"{KEY}\n", "C": "no"}) == KEY


def test_a_missing_key_names_its_variable_unless_it_is_optional() -> None:
    source = KeyFromEnvironment(("A", "B"))
    with pytest.raises(UsageError, match="'test' has no key: A or B is not set") as caught:
        resolve_key(endpoint(source), {"C": KEY})
    assert caught.value.hint == "export A=..."
    assert resolve_key(endpoint(replace(source, optional=True)), {}) is None
    assert resolve_key(endpoint(NoKey()), {}) is None


def test_a_command_prints_the_key() -> None:
    asked: list[Sequence[str]] = []

    def run(arguments: Sequence[str]) -> str:
        asked.append(arguments)
        return f"{KEY}\n"

    source = KeyFromCommand(("pass", "show", "x"))
    assert resolve_key(endpoint(source), {}, run_command=run) == KEY
    assert asked == [("pass", "show", "x")]
    with pytest.raises(UsageError, match="'pass' printed nothing"):
        resolve_key(endpoint(source), {}, run_command=lambda _: "\n")


def test_the_key_store_is_asked_for_service_and_user() -> None:
    source = KeyFromKeyring("svc", "me")
    store = {("svc", "me"): KEY}
    look_up = lambda service, user: store.get((service, user))  # noqa: E731
    assert resolve_key(endpoint(source), {}, keyring=look_up) == KEY
    store.clear()
    with pytest.raises(UsageError, match="none for service 'svc', user 'me'"):
        resolve_key(endpoint(source), {}, keyring=look_up)


def test_key_commands_are_run_without_a_shell() -> None:
    assert run_key_command([sys.executable, "-c", "print('$HOME; key')"]) == "$HOME; key\n"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["no-such-program-here"], "there is no program 'no-such-program-here'"),
        ([sys.executable, "-c", f"print('{KEY}'); raise SystemExit(3)"], "ended with status 3"),
    ],
)
def test_a_key_command_that_fails_says_how_without_its_output(
    arguments: list[str], problem: str
) -> None:
    with pytest.raises(UsageError, match=problem) as caught:
        run_key_command(arguments)
    assert KEY not in str(caught.value)


def test_variables_in_headers_are_filled_in() -> None:
    headers = (("a", "Bearer ${TOKEN}"), ("b", "${A}-${A}"), ("c", "$A {A}"))
    made = endpoint(headers=headers)
    assert resolve_headers(made, {"TOKEN": KEY, "A": "x"}) == (
        ("a", f"Bearer {KEY}"),
        ("b", "x-x"),
        ("c", "$A {A}"),
    )
    assert made.secret_headers == {"a", "b"}
    with pytest.raises(UsageError, match="its header 'a' wants TOKEN, which is not set"):
        resolve_headers(made, {"A": "x"})


@pytest.mark.parametrize(
    ("made", "environment", "key", "missing", "notes"),
    [
        (PRESETS["demo"], {}, "needs none", (), ()),
        (PRESETS["groq"], {}, "from GROQ_API_KEY", ("GROQ_API_KEY is not set",),
         ("no model is set; name one with `model` or --model",)),
        (replace(PRESETS["groq"], model="m"), {"GROQ_API_KEY": KEY}, "from GROQ_API_KEY", (), ()),
        (replace(PRESETS["gemini"], model="m"), {"GOOGLE_API_KEY": KEY}, "from GOOGLE_API_KEY",
         (), ()),
        (replace(PRESETS["vllm"], model="m"), {}, "none (VLLM_API_KEY)", (), ()),
        (replace(PRESETS["azure"], model="m"), {"AZURE_OPENAI_API_KEY": KEY},
         "from AZURE_OPENAI_API_KEY",
         ("base_url is not set (https://RESOURCE.openai.azure.com/openai/v1)",), ()),
        (endpoint(KeyFromCommand(("pass", KEY)), base_url="http://gw.example"), {},
         "from the command pass", (), ("the key travels unencrypted (http://)",)),
        (endpoint(KeyFromKeyring("s", "u")), {}, "from the key store, s/u", (), ()),
    ],
)  # fmt: skip
def test_what_an_endpoint_still_lacks(
    made: Endpoint,
    environment: dict[str, str],
    key: str,
    missing: tuple[str, ...],
    notes: tuple[str, ...],
) -> None:
    status = status_of(made, environment)
    assert (status.key, status.missing, status.notes) == (key, missing, notes)
    assert status.ready == (not missing)


def test_a_server_that_does_not_answer_is_missing() -> None:
    made = replace(PRESETS["ollama"], model="m")
    assert status_of(made, {}, answering=True).ready
    assert status_of(made, {}, answering=False).missing == (
        "nothing answers at http://127.0.0.1:11434/v1: is the server running?",
    )
