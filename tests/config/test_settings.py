"""The configuration file: what it can say, and every fault in it told at once."""

from pathlib import Path

import pytest

from tui.config import PRESETS, ConfigError, Settings, Timeouts, load_settings
from tui.config.endpoints import (
    Endpoint,
    KeyFromCommand,
    KeyFromEnvironment,
    KeyFromKeyring,
    NoKey,
)
from tui.config.settings import Approvals, McpServer
from tui.core.errors import UsageError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def problems(file: Path, text: str) -> tuple[str, ...]:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_settings(file)
    assert caught.value.file == str(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert all(problem in str(caught.value) for problem in caught.value.problems)
    return caught.value.problems


def test_without_a_file_everything_has_its_default(file: Path) -> None:
    settings = load_settings(file)
    assert settings == Settings()
    assert settings.endpoint() == PRESETS["demo"]
    assert (settings.max_turns, settings.record) == (12, True)
    assert settings.approvals == Approvals("read-only", "ask")


def test_an_empty_file_is_no_file(file: Path) -> None:
    file.write_text("# nothing yet\n")
    assert load_settings(file) == Settings()


def test_everything_that_can_be_said(file: Path) -> None:
    file.write_text(
        """
endpoint = "gateway"
system = "Be brief."
tools = ["./shop.py", "demo", "~/t.py", "math"]
max_turns = 3
record = false
theme = "high-contrast"
dark = false

[timeouts]
connect = 2
first_byte = 0

[keymap]
send = "ctrl+enter"

[approval]
mode = "all"
otherwise = "deny"
[approval.tools]
lookup_order = "allow"
"odd name" = "ask"
[approval.origins]
"MCP server files" = "deny"

[endpoints.gateway]
dialect = "openai-chat"
base_url = "https://gw.example/api/v1?team=blue"
model = "m"
key = {env = "GW_KEY"}
auth = "api-key"
headers = {x-team = "blue", x-pass = "${TEAM_PASS}"}
extra_body = {top_k = 5, nested = {a = [1, true]}}
effort = "high"
thinking_tokens = 1024
max_output_tokens = 4096
temperature = 0.5
parallel_calls = false
done_ends_turn = true
proxy = "http://me:pw@proxy.example:3128"
ca_file = "ca.pem"
retries = 0
[endpoints.gateway.timeouts]
between_chunks = 30.5

[mcp.files]
command = "npx"
args = ["-y", "server"]
env = {A = "1"}
cwd = "work"
tools = ["read_*", "list"]
exclude = "read_all"
roots = ["./data", "/srv"]
[mcp.remote]
url = "https://mcp.example/mcp"
headers = {authorization = "${MCP_AUTH}"}
""",
        encoding="utf-8",
    )
    folder = file.parent
    settings = load_settings(file)
    endpoint = Endpoint(
        name="gateway",
        dialect="openai-chat",
        base_url="https://gw.example/api/v1?team=blue",
        model="m",
        key=KeyFromEnvironment(("GW_KEY",)),
        auth="api-key",
        headers=(("x-team", "blue"), ("x-pass", "${TEAM_PASS}")),
        extra_body={"top_k": 5, "nested": {"a": [1, True]}},
        effort="high",
        thinking_tokens=1024,
        max_output_tokens=4096,
        temperature=0.5,
        parallel_calls=False,
        done_ends_turn=True,
        timeouts=Timeouts(2.0, None, 30.5),
        proxy="http://me:pw@proxy.example:3128",
        ca_file=str(folder / "ca.pem"),
        retries=0,
    )
    assert settings == Settings(
        default_endpoint="gateway",
        endpoints={"gateway": endpoint},
        system="Be brief.",
        tools=(str(folder / "shop.py"), "demo", str(Path("~/t.py").expanduser()), "math"),
        mcp=(
            McpServer(
                "files",
                ("npx", "-y", "server"),
                "",
                {"A": "1"},
                folder=str(folder / "work"),
                tools=("read_*", "list"),
                exclude=("read_all",),
                roots=(str(folder / "data"), "/srv"),
            ),
            McpServer(
                "remote", url="https://mcp.example/mcp", headers={"authorization": "${MCP_AUTH}"}
            ),
        ),
        approvals=Approvals(
            "all",
            "deny",
            {"lookup_order": "allow", "odd name": "ask"},
            {"MCP server files": "deny"},
        ),
        max_turns=3,
        record=False,
        theme="high-contrast",
        dark=False,
        keymap={"send": "ctrl+enter"},
        timeouts=Timeouts(2.0, None, 120.0),
    )
    turn = settings.endpoint().turn_settings(system="S", model="other")
    assert (turn.model, turn.system, turn.effort, turn.extra_body["top_k"]) == (
        "other",
        "S",
        "high",
        5,
    )
    assert settings.endpoint().decoder_settings.done_ends_turn


def test_no_repr_shows_headers_or_a_proxys_password(file: Path) -> None:
    file.write_text(
        """
[endpoints.groq]
headers = {x = "hidden-value"}
proxy = "http://me:hidden-value@p"
[mcp.m]
command = "x"
env = {TOKEN = "hidden-value"}
"""
    )
    assert "hidden-value" not in repr(load_settings(file))


@pytest.mark.parametrize("name", ["fast", "groq"])
def test_an_endpoint_builds_upon_the_preset_it_names_or_is_named_after(
    file: Path, name: str
) -> None:
    preset = 'preset = "groq"\n' if name != "groq" else ""
    file.write_text(f'[endpoints.{name}]\n{preset}model = "m"\n')
    endpoint = load_settings(file).endpoint(name)
    assert endpoint.base_url == PRESETS["groq"].base_url
    assert endpoint.key == KeyFromEnvironment(("GROQ_API_KEY",))
    assert (endpoint.name, endpoint.model, endpoint.preset) == (name, "m", "groq")


def test_the_first_configured_endpoint_is_the_default(file: Path) -> None:
    file.write_text('[endpoints.b]\npreset = "ollama"\n[endpoints.a]\npreset = "groq"\n')
    assert load_settings(file).endpoint().name == "b"


def test_an_endpoint_that_nobody_knows_is_refused_with_those_there_are(file: Path) -> None:
    file.write_text('[endpoints.mine]\npreset = "ollama"\n')
    with pytest.raises(UsageError, match="'nope'") as caught:
        load_settings(file).endpoint("nope")
    assert caught.value.hint.startswith("there are: mine, demo, ")


@pytest.mark.parametrize(
    ("toml", "source"),
    [
        ('"none"', NoKey()),
        ('{env = ["A", "B"], optional = true}', KeyFromEnvironment(("A", "B"), True)),
        ("{command = \"pass show 'my key'\"}", KeyFromCommand(("pass", "show", "my key"))),
        ('{command = ["op", "read", "x y"]}', KeyFromCommand(("op", "read", "x y"))),
        ('{keyring = "groq"}', KeyFromKeyring("groq", "verbatim")),
        ('{keyring = "groq", user = "me"}', KeyFromKeyring("groq", "me")),
    ],
)
def test_where_a_key_may_come_from(file: Path, toml: str, source: object) -> None:
    file.write_text(f"[endpoints.groq]\nkey = {toml}\n")
    assert load_settings(file).endpoint("groq").key == source


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('max_turn = 3', "max_turn: there is no such setting; did you mean max_turns?"),
        ("max_turns = 0", "max_turns: 0 is too small; write 1 or more"),
        ('max_turns = "3"', "max_turns: '3' does not fit; write a whole number"),
        ("max_turns = true", "max_turns: True does not fit; write a whole number"),
        ("record = 1", "record: 1 does not fit; write true or false"),
        ("endpoint = 5", "endpoint: 5 does not fit; write text in quotation marks"),
        ('endpoint = "x"', "endpoint: there is no endpoint 'x'; add [endpoints.NAME] for it"),
        ("tools = [1]", 'tools: write a list of texts, like ["a", "b"]'),
        ("timeouts = 5", "timeouts: a int does not fit; write a table, [timeouts]"),
        ("[timeouts]\nconnect = -1", "[timeouts] connect: -1 is out of range; write a number of 0 or more"),
        ("[timeouts]\nconnect = nan", "[timeouts] connect: nan is out of range; write a number of 0 or more"),
        ("[timeouts]\nread = 1", "[timeouts] read: there is no such setting; known are between_chunks, connect, first_byte"),
        ('[approval]\nmode = "some"', "[approval] mode: 'some' is not one of all, read-only, none"),
        ('[approval.tools]\nf = "yes"', "[approval.tools] f: 'yes' is not one of ask, allow, deny"),
        ('[endpoints.x]\nbase_url = "https://h"', "[endpoints.x] dialect: is missing; write it, or name a `preset` that brings it"),
        ('[endpoints.x]\ndialect = "openai"\nbase_url = "https://h"',
         "[endpoints.x] dialect: 'openai' is not one of anthropic, openai-responses, openai-chat"),
        ('[endpoints.x]\npreset = "grok"', "[endpoints.x] preset: 'grok' is not one of demo,"),
        ('[endpoints.groq]\nbase_url = "groq.com"', "[endpoints.groq] base_url: this is no URL; write http://HOST or http://HOST:PORT/PATH"),
        ('[endpoints.groq]\nbase_url = "https://h:x/"', "[endpoints.groq] base_url: this is no URL: Port could not be cast"),
        ('[endpoints.groq]\nbase_url = "https://u:p@h/"', "[endpoints.groq] base_url: a base URL carries no user name or password"),
        ('[endpoints.groq]\nbase_url = "https://h/a b"', "[endpoints.groq] base_url: a URL holds no blanks"),
        ('[endpoints.groq]\nproxy = "ftp://h"', "[endpoints.groq] proxy: this is no URL; write http://HOST"),
        ('[endpoints.groq]\nheaders = {"a b" = "x"}', "[endpoints.groq] headers: 'a b' is no header name"),
        ('[endpoints.groq]\nheaders = {a = 5}', "[endpoints.groq.headers] a: a int does not fit; write text in quotation marks"),
        ("[endpoints.groq]\nextra_body = {day = 2026-11-30}", "[endpoints.groq] extra_body: dates and times have no place"),
        ("[endpoints.groq]\nkey = {}", "[endpoints.groq] key: give one of env, command and keyring"),
        ('[endpoints.groq]\nkey = {env = "A", keyring = "b"}', "[endpoints.groq] key: give one of"),
        ('[endpoints.groq]\nkey = {command = "a \'b"}', "[endpoints.groq.key] command: cannot be split into arguments"),
        ('[endpoints."a.b"]\npreset = "groq"\nbad = 1', '[endpoints."a.b"] bad: there is no such setting'),
        ('[mcp.m]\nargs = ["x"]', "[mcp.m] give either `command`, to start the server, or `url`"),
        ('[mcp.m]\ncommand = "x"\nurl = "https://h"', "[mcp.m] give either `command`"),
        ("endpoints = [1]", "endpoints: a list does not fit; write a table, [endpoints]"),
        ("[endpoints]\ngroq = 1", "[endpoints] groq: a int does not fit; write a table, [endpoints.groq]"),
        ("a = ", "is not TOML: "),
    ],
)  # fmt: skip
def test_every_fault_names_its_place_and_what_to_write(file: Path, text: str, problem: str) -> None:
    assert problem in problems(file, text)[0]


@pytest.mark.parametrize(
    "line",
    ['key = "sk-1234567890"', 'api_key = "sk-1234567890"', 'key = ["sk-1234567890"]',
     'token = "sk-1234567890"', 'key = {env = {a = "sk-1234567890"}}',
     'headers = {authorization = ["sk-1234567890"]}', 'base_url = "https://sk-1234567890@h"'],
)  # fmt: skip
def test_a_key_in_the_file_is_refused_without_repeating_it(file: Path, line: str) -> None:
    found = problems(file, f"[endpoints.groq]\n{line}\n")
    assert "sk-1234567890" not in "".join(found)


def test_all_faults_are_told_at_once(file: Path) -> None:
    text = 'max_turns = "x"\nthem = 1\n[endpoints.a]\nretries = -1\n[approval]\nmode = 1\n'
    assert len(problems(file, text)) == 6


def test_a_file_that_is_not_text_or_cannot_be_read_is_a_usage_error(file: Path) -> None:
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not UTF-8"):
        load_settings(file)
    file.unlink()
    file.mkdir()
    with pytest.raises(UsageError, match="cannot be read"):
        load_settings(file)
