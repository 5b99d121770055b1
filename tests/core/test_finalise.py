"""The one strict parse: what may become a FinalCall, and the words for what may not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.core.conversation import ToolSpec
from tui.core.errors import ProtocolViolation
from tui.core.events import CallKind
from tui.core.finalise import FinalCall, Invalid, finalise
from tui.core.strictjson import MAX_DEPTH, NotStrict, parse_object

WEATHER = ToolSpec(
    "get_weather",
    "Tell the weather.",
    {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
        "additionalProperties": False,
    },
)


def finalised(
    raw: str, *, kind: CallKind = "function", tools: dict[str, ToolSpec] | None = None
) -> FinalCall | Invalid:
    return finalise(ref="t1.c1", id="c1", name="get_weather", raw=raw, kind=kind, tools=tools)


def problem(raw: str, **others: object) -> str:
    found = finalised(raw, **others)  # type: ignore[arg-type]
    assert isinstance(found, Invalid)
    return found.problem


@pytest.mark.parametrize("blank", ["", " ", "\n\t "])
def test_blank_arguments_mean_an_empty_object(blank: str) -> None:
    call = finalised(blank)
    assert isinstance(call, FinalCall)
    assert (call.arguments, call.raw) == ({}, blank)


def test_numbers_and_escapes_are_read_exactly_and_raw_is_untouched() -> None:
    raw = '{"big": 7205759403792793601123456789, "one":1.0, "half": "\\ud83d", "s":"\\/\\u00e9"}\n'
    call = finalised(raw)
    assert isinstance(call, FinalCall)
    assert call.raw == raw
    assert call.arguments == {
        "big": 7205759403792793601123456789,
        "one": 1.0,
        "half": "\ud83d",
        "s": "/é",
    }


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ('{"a":1}{"a":1}', "more text follows after the end of the object at character 7"),
        ('{"q":"x"}<|call|>', "more text follows after the end of the object at character 9"),
        ("[1,2]", "it is an array, but arguments are one JSON object"),
        ("null", "it is null, but"),
        ('"{}"', "it is a string, but"),
        ("true", "it is a boolean, but"),
        ("17", "it is a number, but"),
        ('{"a":NaN}', "NaN is not JSON"),
        ('{"a":-Infinity}', "-Infinity is not JSON"),
        ('{"a":1e400}', "the number 1e400 is larger than a tool can be given"),
        ('{"a":1,"b":{"c":1,"c":2}}', "the key 'c' stands twice in one object"),
        ('{"a":"x\ny"}', "a control character stands unescaped in a string"),
        ('{"ns":"Lib\\Handler"}', "a backslash begins no JSON escape"),
        ('{"a":"\\u12"}', "a \\u escape lacks its four hexadecimal digits"),
        ('{"who": Anna}', "a value is missing at character 8"),
        ("{'a':1}", "a key in double quotes is missing"),
        ('cmd": "date"}', "a value is missing at character 0"),
        ('{"a":"x', "a string is never closed"),
        ('{"a" 1}', "a colon is missing after a key"),
        ('{"a":1 "b":2}', "a comma or the end of the object or array is missing"),
        ("\u00a0", "a value is missing"),
        ('{"n":' + "9" * 5000 + "}", "an integer of 5000 digits"),
        ('{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1), "nested more than 500 levels"),
        ("[" * 100_000, "nested more than 500 levels"),
    ],
)
def test_what_is_not_one_strict_object_is_invalid_and_says_why(raw: str, words: str) -> None:
    assert words in problem(raw)


def test_nesting_up_to_the_limit_is_read() -> None:
    raw = '{"a":' * MAX_DEPTH + "1" + "}" * MAX_DEPTH
    assert isinstance(finalised(raw), FinalCall)


def test_brackets_inside_strings_do_not_count_as_nesting() -> None:
    assert parse_object(json.dumps({"a": '[{"' * 2000})) == {"a": '[{"' * 2000}


def test_an_unknown_tool_is_named_with_the_tools_there_are() -> None:
    assert "the tools are: other" in problem("{}", tools={"other": WEATHER})


def test_arguments_against_the_schema_are_invalid_with_the_place() -> None:
    found = finalised('{"days":"7","x":1}', tools={"get_weather": WEATHER})
    assert isinstance(found, Invalid)
    assert "'city' is a required property" in found.problem
    assert "days: '7' is not of type 'integer'" in found.problem
    assert ("days",) in found.paths


def test_a_tool_with_a_broken_schema_is_said_to_be_at_fault() -> None:
    broken = ToolSpec("get_weather", "", {"type": "object", "properties": {"a": {"$ref": "x:y"}}})
    assert "the schema of the tool 'get_weather' cannot be used" in problem(
        '{"a":1}', tools={"get_weather": broken}
    )


def test_free_text_of_a_custom_tool_is_not_parsed() -> None:
    call = finalised("SELECT 1; {", kind="custom")
    assert isinstance(call, FinalCall)
    assert call.arguments == "SELECT 1; {"


def test_nobody_else_can_make_a_final_call() -> None:
    with pytest.raises(ProtocolViolation):
        FinalCall("t1.c1", "c1", "rm", "{}", {}, "function", object())


def test_the_digest_is_of_the_raw_text() -> None:
    call = finalised("{}")
    assert isinstance(call, FinalCall)
    assert call.digest == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


@given(st.text() | st.from_regex(r'[{}\[\]",:0-9eE+.\\ua-f-]*'))
def test_any_text_is_judged_without_a_crash_and_as_the_standard_parser_would(text: str) -> None:
    try:
        value = parse_object(text)
    except NotStrict:
        return
    assert json.loads(text) == value
