"""The contrast: set apart from the truth, and silent on what has not happened yet."""

from __future__ import annotations

from tests.app.wire.making import MARCH, chunks_of, made_up, read, timeline
from tui.app.wire.contrasted import Contrasted, Known
from tui.app.wire.contrasts import BANNER, CARELESS, EDGE, ContrastLines, careless_clients
from tui.app.wire.exchange import WireExchange
from tui.app.wire.timeline import Reading, Timeline
from tui.core.turn import Turn
from tui.store import StoredExchange
from tui.store.exchanges import Ending

CONTRASTS = made_up("anthropic").at(Turn("anthropic"), len(MARCH))


def known(body: bytes = MARCH, *, over: bool = True) -> Known:
    """What is known of a turn when `body` has come."""
    url = "http://127.0.0.1/v1/messages"
    ending: Ending = "complete" if over else "open"
    stored = StoredExchange(
        "exchange-1", "c", None, "anthropic", "demo", url, (), b"{}", 200, (), 0.0, None,
        ending, "", None, 0,
    )  # fmt: skip
    steps = tuple(read(body, close=over).steps)
    return Known(WireExchange(stored, 1, body, tuple(chunks_of(body))), steps)


def contrasted() -> Contrasted:
    return Contrasted(
        careless_clients("anthropic"), Timeline(Reading("anthropic"), b"", (), over=False)
    )


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


def test_at_every_position_the_bytes_up_to_it_are_contrasted_and_no_others() -> None:
    travelled = timeline(MARCH)
    compared = contrasted()
    for position in [*range(travelled.last + 1), *range(travelled.last, -1, -1)]:
        prefix = MARCH[: travelled.offset(position)]
        over = position == travelled.last
        alone = contrasted().lines(known(prefix, over=over))
        assert compared.lines(known(), position).text == alone.text, position


def test_a_call_that_forms_is_contrasted_as_forming() -> None:
    travelled = timeline(MARCH)
    seventh = contrasted().lines(known(), 7).text
    assert 'true so far: forming: {"order_id": "A-4471", "summary": "from 3 Ma' in seventh
    assert 'careless: {"order_id":"A-4471"}' in seventh
    assert f"in the first {travelled.offset(7):,} bytes" in seventh
    whole = contrasted().lines(known(), travelled.last).text
    assert "so far" not in whole
    assert whole == contrasted().lines(known()).text


def test_more_of_a_turn_that_still_comes_is_contrasted_when_it_has_come() -> None:
    travelled = timeline(MARCH)
    compared = contrasted()
    for position in range(1, travelled.last):
        prefix = MARCH[: travelled.offset(position)]
        grown = compared.lines(known(prefix, over=False))
        assert grown.text == contrasted().lines(known(), position).text, position
    assert compared.lines(known()).text == contrasted().lines(known()).text


def test_what_a_careless_client_shows_is_data_too() -> None:
    text = "\n".join(drawn(ContrastLines(CONTRASTS)))
    assert "\x1b" not in text
    assert "[b]called[/b] ␛[2J" in text


def test_the_careless_clients_we_have_fit_the_frame_on_these_bytes() -> None:
    lines = contrasted().lines(known())
    text = "\n".join(drawn(lines))
    assert lines.wrong
    for each in lines.wrong:
        assert f"{each.name}  went wrong at byte {each.went_wrong_at:,}" in text
