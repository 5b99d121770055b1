"""The contrast: set apart from the truth, and silent on what has not happened yet."""

from __future__ import annotations

from tests.app.wire.making import MARCH, made_up, timeline
from tui.app.wire.contrasts import BANNER, CARELESS, EDGE, ContrastLines, careless_clients

CONTRASTS = made_up("anthropic", MARCH, ())


def drawn(lines: ContrastLines, width: int = 90) -> list[str]:
    return [
        "".join(text for text, _ in lines.line(index, width)) for index in range(lines.count(width))
    ]


def test_each_client_says_where_it_went_wrong_and_what_would_have_come_of_it() -> None:
    travelled = timeline(MARCH)
    text = "\n".join(drawn(ContrastLines(CONTRASTS, event_at=travelled.event_at)))
    number = travelled.event_at(len(MARCH) // 2)
    assert f"eager  went wrong at byte {len(MARCH) // 2:,}, in #{number}" in text
    assert "so: half a ticket is filed" in text
    assert "Nothing wrong: lucky" in text
    assert text.index("eager") < text.index("late")


def test_every_line_says_that_it_is_not_the_truth() -> None:
    lines = ContrastLines(CONTRASTS)
    for width in (30, 90):
        first, *rest = drawn(lines, width)
        assert first.startswith(EDGE + BANNER[:20])
        assert all(line.startswith(EDGE) for line in rest)
    careless = [
        text
        for index in range(lines.count(90))
        for text, ink in lines.line(index, 90)
        if ink == CARELESS
    ]
    assert any("called" in text for text in careless)


def test_only_what_had_happened_by_a_position_is_shown() -> None:
    travelled = timeline(MARCH)
    names = []
    for position in range(travelled.last + 1):
        offset = travelled.offset(position)
        lines = ContrastLines(CONTRASTS, offset=offset)
        names.append([each.name for each in lines.wrong])
        assert all((each.went_wrong_at or 0) < offset for each in lines.wrong)
    assert names[0] == []
    assert ["eager"] in names
    assert names[-1] == ["eager", "late"]


def test_what_a_careless_client_shows_is_data_too() -> None:
    text = "\n".join(drawn(ContrastLines(CONTRASTS)))
    assert "\x1b" not in text
    assert "[b]called[/b] ␛[2J" in text


def test_the_careless_clients_we_have_fit_the_frame_on_these_bytes() -> None:
    chunks = [MARCH[start : start + 64] for start in range(0, len(MARCH), 64)]
    contrasts = careless_clients("anthropic", MARCH, chunks)
    text = "\n".join(drawn(ContrastLines(contrasts, event_at=timeline(MARCH).event_at)))
    wrong = [each for each in contrasts if each.went_wrong_at is not None]
    assert wrong
    for each in wrong:
        assert f"{each.name}  went wrong at byte {each.went_wrong_at:,}" in text
