"""The proofs try every place, find what is planted, and agree with reading everything anew."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lint.streams import call, chat, entry, reading
from tests.shared import by_id, needs_shared, streams
from tui.core import sse
from tui.core.reader import TurnReader
from tui.core.turn import Turn
from tui.lint import proof

TWO = chat(entry('{"a":1}', name="run"), entry("", name="go", index=1), entry('{"b":2}', index=1))


def test_every_place_of_a_small_body_is_tried() -> None:
    one = reading(TWO)
    assert proof.every_split(one) == proof.SplitProof(len(TWO) - 1, ())
    assert proof.every_cut(one) == proof.CutProof(len(TWO) - 1, ())


def test_a_sample_is_as_large_as_asked_for() -> None:
    one = reading(TWO)
    assert len(proof.places(one, 17)) == 17
    assert proof.places(one, 10**6) == list(range(1, len(TWO)))
    large = reading(call('{"a":"' + "x" * 30_000 + '"}'))
    assert proof.SAMPLE <= len(proof.places(large)) < 3 * proof.SAMPLE
    assert len(large.body) - 1 in proof.places(large)


def test_an_act_before_the_turns_ending_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def close(self: Turn, *, broken: str = "", unterminated: bool = False) -> None:
        # What a client does that asks whether the text parses, and nothing else.
        for each in self.calls:
            self._reasons.setdefault(each.choice, "tool_calls")
            each.closed_at = each.closed_at or 0
            each.state = type(each.state)("closed")
        honest(self)

    honest = Turn.close
    monkeypatch.setattr(Turn, "close", close)
    found = proof.every_cut(reading(TWO)).early_acts
    assert found
    assert "'run' may run" in found[0]


def test_a_decoder_that_minds_its_chunks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = sse.SSEDecoder.feed

    def feed(self: sse.SSEDecoder, data: bytes) -> list[Any]:
        return honest(self, data.rstrip(b"}") if data.endswith(b"}") else data)

    one = reading(TWO)
    monkeypatch.setattr(sse.SSEDecoder, "feed", feed)
    assert proof.every_split(one).differences


def test_a_call_that_goes_on_after_its_finish_reason_is_told() -> None:
    body = call('{"a":1}', done=False) + chat(entry(" "), finish=None)
    (told, *_) = proof.every_cut(reading(body)).early_acts
    assert "another text" in told


@needs_shared
@pytest.mark.parametrize(
    "stream",
    [s for s in streams() if s.manifest["calls"] and s.path.stat().st_size < 3000][:6],
    ids=by_id,
)
def test_kinds_of_rests_stand_for_every_place(stream: Any) -> None:
    body = stream.read()
    one = reading(body, stream.dialect)
    assert proof.every_cut(one).early_acts == ()
    final = {each.ref: each.raw for each in one.turn.final_calls}
    needs = proof._needs(one)
    for offset in range(len(body)):
        reader = TurnReader(stream.dialect)
        reader.feed(body[:offset])
        reader.close()
        for each in reader.final_calls:
            assert proof._early(each, offset, final, needs) == ""
