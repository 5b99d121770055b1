"""JSON on the wire: what is read, what is refused, and what is cut out of it."""

from __future__ import annotations

import pytest

from tui.core import wirejson
from tui.core.strictjson import MAX_DEPTH as ARGUMENTS_MAX_DEPTH


def nested(levels: int) -> str:
    return '{"a":' * levels + "[]" + "}" * levels


@pytest.mark.parametrize("levels", [wirejson.MAX_DEPTH, 1010, 5000])
def test_what_is_nested_too_deeply_to_be_handled_is_not_read_at_all(levels: int) -> None:
    with pytest.raises(ValueError, match="nested"):
        wirejson.loads(nested(levels))


def test_arguments_as_deep_as_they_may_be_are_read_inside_their_request() -> None:
    value = wirejson.loads(
        '{"messages":[{"content":[{"input":' + nested(ARGUMENTS_MAX_DEPTH) + "}]}]}"
    )
    assert wirejson.loads(wirejson.dumps(value)) == value


def test_many_members_side_by_side_are_not_deep() -> None:
    assert len(wirejson.loads("[" + ",".join(["[{}]"] * 5000) + "]")) == 5000


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("[]", []),
        (" [ ] ", []),
        ('[1.0, {"a" : [2,3]},"x,y" ]', ["1.0", '{"a" : [2,3]}', '"x,y"']),
        ("{}", []),
    ],
)
def test_elements_are_cut_out_as_they_stand(text: str, elements: list[str]) -> None:
    assert list(wirejson.element_texts(text)) == elements
