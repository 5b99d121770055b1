"""Careless clients make their mistakes where these can be made, and nowhere else."""

from __future__ import annotations

import pytest

from tests.lint.streams import call, chat, entry, say
from tests.shared import cases, needs_shared, streams
from tui.core.reader import Step, TurnReader
from tui.core.turn import Turn
from tui.lint.contrast import CarelessClients, Contrast, contrast


def wrong(body: bytes, dialect: str = "openai-chat", *chunks: bytes) -> dict[str, Contrast]:
    return {
        each.name: each
        for each in contrast(dialect, body, chunks)
        if each.went_wrong_at is not None
    }


def read(dialect: str, body: bytes, *, close: bool = False) -> tuple[Turn, list[Step]]:
    reader = TurnReader(dialect)
    steps = reader.feed(body)
    return reader.turn, [*steps, *reader.close()] if close else steps


def clients_of(dialect: str, steps: list[Step], chunks: list[bytes]) -> CarelessClients:
    clients = CarelessClients(dialect)
    clients.take(steps, chunks)
    return clients


def in_pieces(body: bytes, size: int = 61) -> list[bytes]:
    return [body[at : at + size] for at in range(0, len(body), size)]


def ends_of_events(body: bytes) -> list[int]:
    return [step.item.end for step in read("openai-chat", body)[1]]


def so_far(body: bytes, offset: int, dialect: str = "openai-chat") -> dict[str, Contrast]:
    """What had gone wrong when the first bytes of `body` had come, and more was to come."""
    turn, steps = read(dialect, body[:offset])
    at = clients_of(dialect, steps, in_pieces(body[:offset])).at(turn, offset)
    return {each.name: each for each in at if each.went_wrong_at is not None}


def test_half_an_object_runs_in_a_tolerant_client_only() -> None:
    body = call('{"path":"/tmp', '/x"}')
    found = wrong(body)
    assert found["run-at-tolerant-parse"].careless == '{"path":"/tmp"}'
    assert found["run-at-tolerant-parse"].true == 'final: {"path":"/tmp/x"}'
    assert "run-at-first-parse" not in found


def test_an_object_with_text_behind_it_runs_at_the_first_parse() -> None:
    found = wrong(call('{"a":1}', '{"a":2}'))
    assert found["run-at-first-parse"].careless == '{"a":1}'
    assert "invalid" in found["run-at-first-parse"].true


def test_a_whole_call_of_a_cut_turn_runs_at_its_marker() -> None:
    found = wrong(call('{"a":1}', finish="length"))
    assert found["run-at-marker"].careless == '{"a":1}'
    assert "run-at-marker" not in wrong(call('{"a":1}'))


def test_two_calls_of_one_tool_are_merged_under_its_name() -> None:
    body = chat(entry('{"a":1}', name="run"), entry('{"a":2}', name="run", index=1))
    found = wrong(body)
    assert found["keyed-by-tool-name"].careless == '{"a":1}{"a":2}'
    assert "keyed-by-index" not in found


def test_two_calls_of_one_index_are_merged_under_it() -> None:
    body = chat(entry('{"a":1}', name="run", id="x"), entry('{"a":2}', name="go", id="y"))
    found = wrong(body)
    assert found["keyed-by-index"].careless == '{"a":1}{"a":2}'
    assert "keyed-by-tool-name" not in found


def test_stripping_takes_blanks_that_belong_to_a_string() -> None:
    body = call('{"a":"x', ' y"}')
    found = wrong(body)["stripped-fragments"]
    assert (found.true, found.careless) == ('{"a":"x y"}', '{"a":"xy"}')
    assert found.went_wrong_at == body.index(b"data: ", 1)


def test_numbers_come_back_in_another_spelling() -> None:
    found = wrong(call('{"n":9007199254740993,"r":1.0}'))["json-round-trip"]
    assert found.careless == '{"n":9007199254740992,"r":1}'
    assert "other values" in found.consequence


def test_arguments_stand_in_the_bubble() -> None:
    found = wrong(chat({"content": "Well: "}, entry('{"a":1}', name="run")))
    assert found["arguments-in-bubble"].careless == 'Well: {"a":1}'


def test_a_renderer_takes_marks_away() -> None:
    found = wrong(say("**Bold** and `code`"))["stored-from-rendered"]
    assert found.careless == "Bold and code"


def test_a_character_between_two_chunks_is_lost() -> None:
    body = say("caf\u00e9").replace(b"\\u00e9", "\u00e9".encode())
    cut = body.index("\u00e9".encode()) + 1
    found = wrong(body, "openai-chat", body[:cut], body[cut:])["characters-per-chunk"]
    assert found.went_wrong_at == cut - 1
    assert "\ufffd\ufffd" in found.careless


def test_a_line_between_two_chunks_is_lost() -> None:
    body = say("one", " two")
    found = wrong(body, "openai-chat", body[:30], body[30:])["lines-per-chunk"]
    assert (found.true, found.careless) == ("one two", " two")


def test_a_line_separator_breaks_an_event_of_a_unicode_splitter() -> None:
    body = say("a\u2028b").replace(b"\\u2028", "\u2028".encode())
    found = wrong(body)["unicode-lines"]
    assert found.careless == ""
    assert body[found.went_wrong_at or 0 :].startswith("\u2028".encode())


def test_texts_are_bounded() -> None:
    for each in contrast("openai-chat", call('{"a":"' + "x" * 50_000 + '"}', finish="length")):
        assert max(map(len, (each.true, each.careless, each.consequence))) < 400


@needs_shared
def test_every_stream_and_case_can_be_contrasted() -> None:
    met = set()
    bodies = [(each.dialect, each.read()) for each in streams()]
    bodies += [(each.dialect, each.read()) for each in cases()]
    for dialect, body in bodies:
        for each in contrast(dialect, body):
            if each.went_wrong_at is not None:
                met.add(each.name)
                assert 0 <= each.went_wrong_at <= len(body)
    assert len(met) == 12


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(Exception, match="no dialect"):
        contrast("klingon", b"")


def test_a_call_that_runs_early_is_told_as_it_was_then() -> None:
    body = call('{"a":"x', ' y"}')
    early, formed, over = (so_far(body, end) for end in ends_of_events(body)[:3])
    assert early["run-at-tolerant-parse"].careless == '{"a":"x"}'
    assert early["run-at-tolerant-parse"].true == 'forming: {"a":"x'
    assert early["run-at-tolerant-parse"].consequence.endswith("while it is still being written")
    assert "run-at-first-parse" not in early
    assert formed["run-at-first-parse"].careless == '{"a":"x y"}'
    assert formed["run-at-first-parse"].true == 'forming: {"a":"x y"}'
    assert over["run-at-marker"].consequence.endswith("before its turn has ended")
    assert "run-at-marker" not in wrong(body)


def test_what_may_still_come_is_no_mistake_of_a_renderer() -> None:
    body = say("one ", "two")
    assert "stored-from-rendered" not in so_far(body, ends_of_events(body)[0])
    assert wrong(say("one "))["stored-from-rendered"].careless == "one"


def test_a_text_that_never_parsed_is_not_said_to_parse_no_longer() -> None:
    body = call('{"a":"x ', 'y"}')
    early = so_far(body, ends_of_events(body)[0])
    assert early["stripped-fragments"].consequence == "run: 1 blank is lost"
    assert wrong(body)["stripped-fragments"].consequence.endswith("and it still parses")


@needs_shared
def test_at_every_event_the_clients_know_the_bytes_up_to_it_and_nothing_else() -> None:
    bodies = [(each.dialect, each.read()) for each in cases()]
    bodies += [(each.dialect, each.read()) for each in list(streams())[::7]]
    met = set()
    for dialect, body in bodies:
        turn, steps = read(dialect, body, close=True)
        chunks = in_pieces(body)
        all_at_once = clients_of(dialect, steps, chunks)
        ends = sorted({step.item.end for step in steps})
        for offset in ends[:: max(len(ends) // 8, 1)]:
            prefix = body[:offset]
            then, known = read(dialect, prefix)
            found = all_at_once.at(then, offset)
            assert found == clients_of(dialect, known, in_pieces(prefix)).at(then, offset)
            gone_wrong = [each for each in found if each.went_wrong_at is not None]
            assert all((each.went_wrong_at or 0) < offset for each in gone_wrong)
            met |= {each.name for each in gone_wrong}
        assert all_at_once.at(turn, len(body)) == contrast(dialect, body, chunks)
    # Arguments are written anew only when the next request is made, after all of the turn.
    assert len(met) == 11
