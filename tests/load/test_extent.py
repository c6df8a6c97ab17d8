"""A fiche that asks for more than can be answered soon is refused at once (law 7)."""

import time

import pytest
from loading import HEAD, loaded

from fiche.kernel.diagnostic import Refused
from fiche.load import extent

CASES = "    - {{id: c{0}, role: usual, new_tokens: {0}}}\n"


def fiche(candidates, cases=1, requirements="", pieces=0):
    text = HEAD + "workload:\n  cases:\n" + "".join(CASES.format(n) for n in range(1, cases + 1))
    if pieces:
        rows = (f"  - {{id: p{n}, file: q.txt, kind: quote}}\n" for n in range(pieces))
        text += "pieces:\n" + "".join(rows)
    return f"{text}{requirements}candidates:\n{candidates}"


def refusal(text, files=None):
    with pytest.raises(Refused) as caught:
        loaded(text, files)
    return caught.value.diagnostics


def card(name="a", cards=1, more=""):
    return f"  - {{id: {name}, gpu: nvidia-rtx-4090-24g, cards: {cards}{more}}}\n"


@pytest.mark.parametrize("count", [100_001, 10**12, 10**17])
def test_a_count_with_too_many_digits_is_refused_soon(count):
    placement = f", placement: {{devices: {count}}}"
    capacity = "requirements:\n  - {id: c, kind: capacity, level: must, at_least: 1 GB}\n"
    started = time.process_time()
    for text in (
        fiche(card("ok") + card("much", count, placement)),
        fiche(card("ok") + card("much", count), requirements=capacity),
        fiche(
            card("ok") + f"  - {{id: b, baseline: ok, change: {{placement.devices: {count}}}}}\n"
        ),
    ):
        (found,) = refusal(text)
        assert (found.code, found.address.line) == ("F326", text.count("\n"))
    assert time.process_time() - started < 2


def test_answers_are_counted_as_they_are_given():
    """Memory: cases x devices, also where it is only implied; quality is always required too."""
    placement = ", placement: {devices: 4}"
    one = loaded(fiche(card(cards=8, more=placement), cases=3)).fiche
    assert extent.answers(one.candidates[0], one.requirements) == 3 * 4 + 1
    asked = (
        "requirements:\n  - {id: m, kind: memory, level: must, cases: [c1, c2]}\n"
        "  - {id: c, kind: capacity, level: want, at_least: 1 GB}\n"
        "  - {id: d, kind: document, level: want, document: x}\n"
    )
    two = loaded(fiche(card(cards=8, more=placement), cases=3, requirements=asked)).fiche
    assert extent.answers(two.candidates[0], two.requirements) == 2 * 4 + 8 + 1 + 1


def test_many_pieces_lower_the_bound(monkeypatch):
    monkeypatch.setattr(extent, "MAX_LOOKS", 100)
    monkeypatch.setattr(extent, "MAX_ANSWERS", 30)
    files = {"q.txt": "x"}
    most = "".join(card(f"a{n}") for n in range(15))
    assert len(loaded(fiche(most), files).fiche.candidates) == 15
    assert [one.code for one in refusal(fiche(most + card("z")), files)] == ["F326"]
    assert [one.code for one in refusal(fiche(most, pieces=10), files)] == ["F326"]
    assert "of 10 pieces" in refusal(fiche(most, pieces=10), files)[0].message
