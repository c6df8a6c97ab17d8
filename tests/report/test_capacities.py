import re

import pytest
from hypothesis import HealthCheck, given, settings
from render.decisions import GIB
from report.drawn import answers, assert_sound, letterings
from report.drawn import decided as drawn_decided

from fiche.kernel.finding import Verdict
from fiche.kernel.ledger import ledger
from fiche.languages import spoken
from fiche.report._capacity_words import plain
from fiche.report.capacities import LEFT, RIGHT, picture
from fiche.report.desk import Desk
from fiche.report.letters import width
from fiche.report.parts import Amount, Lettering, Plate, Sign, Stroke

FEW = settings(max_examples=20, suppress_health_check=list(HealthCheck))


def drawn(made, tag="en"):
    return picture(Desk.of(made, spoken(tag)))


def decided(*rows):
    """(candidate, need, capacity, verdict) each."""
    return drawn_decided([(who, "limit", need, room, verdict) for who, need, room, verdict in rows])


def plates(made, kind):
    return [p for p in made.marks if isinstance(p, Plate) and p.kind == kind]


OBSERVED = ("observed", [20 * GIB], 0)
ENVELOPE = ("envelope", [10 * GIB, 5 * GIB], 0)
FLOOR = ("floor", [30 * GIB], 0)


@FEW
@given(answers())
def test_a_picture_is_sound_whatever_it_shows(rows):
    """Nothing overlaps or leaves it; bars lie on the scale; each number is in the ledger (law 1)."""
    made = drawn_decided(rows)
    told = drawn(made)
    if told is None:
        return
    assert_sound(told)
    for mark in told.marks:
        if isinstance(mark, Plate):
            assert mark.x >= LEFT
            assert mark.x + mark.width <= RIGHT
    known = ledger(made).figures
    amounts = [part for line in told.caption for part in line if isinstance(part, Amount)]
    assert all(amount.figure in known for amount in amounts)


@pytest.mark.parametrize("tag", ["fr", "pt", "tr"])
def test_languages_differ_in_words_alone(tag):
    made = decided(
        ("one", OBSERVED, (24 * GIB, 24 * GIB), Verdict.ADMISSIBLE),
        ("two", FLOOR, (None, 48 * GIB), Verdict.TO_CONFIRM),
    )
    english, other = drawn(made), drawn(made, tag)

    def bare(told):
        return [m for m in told.marks if not isinstance(m, Lettering)]

    assert bare(english) == bare(other)
    assert [(m.x, m.y) for m in letterings(english)] == [(m.x, m.y) for m in letterings(other)]


def test_widths_are_in_the_proportion_of_their_bytes():
    """Within one unit of the picture, since each end is rounded once."""
    told = drawn(decided(("one", ENVELOPE, (30 * GIB, 60 * GIB), Verdict.TO_CONFIRM)))
    sure, most = plates(told, "sure")[0], (plates(told, "most") + plates(told, "range"))[0]
    assert abs(sure.width - most.width) <= 1
    first, second = plates(told, "stated")
    assert abs(first.width - 2 * second.width) <= 2
    assert abs(sure.width - 3 * (first.width)) <= 3


def test_an_open_end_is_drawn_open_and_a_measured_one_is_closed():
    opened = drawn(decided(("one", FLOOR, (None, 48 * GIB), Verdict.TO_CONFIRM)))
    assert plates(opened, "fading")
    assert any(isinstance(m, Sign) and m.shape == "onward" for m in opened.marks)
    assert not plates(opened, "sure")
    closed = drawn(decided(("one", OBSERVED, (24 * GIB, 24 * GIB), Verdict.ADMISSIBLE)))
    assert not plates(closed, "fading")
    assert plates(closed, "sure")
    assert plates(closed, "margin")  # what the fiche keeps free
    assert plates(closed, "free")


def test_what_is_not_known_has_no_bar_and_no_number():
    told = drawn(
        decided(
            ("known", OBSERVED, (24 * GIB, 24 * GIB), Verdict.ADMISSIBLE),
            ("untold", OBSERVED, (None, None), Verdict.TO_CONFIRM),
        )
    )
    rows = {m.text: m.y for m in letterings(told)}
    beside = [m.text for m in letterings(told) if m.y == rows["untold"]]
    assert beside == ["untold", "▲ Not established", "not known"]
    bars = [p for p in told.marks if isinstance(p, Plate) and abs(p.y + 9 - rows["untold"]) < 6]
    assert bars == []
    assert "What untold has is not known: Not established." in told.said
    nothing = ("none", [GIB], 0)
    assert drawn(decided(("one", nothing, (GIB, GIB), Verdict.TO_CONFIRM))) is None


def test_a_floor_says_at_least_and_an_envelope_does_not():
    told = [
        m.text.replace("\xa0", " ")
        for need in (FLOOR, ENVELOPE)
        for m in letterings(drawn(decided(("one", need, (None, 48 * GIB), Verdict.TO_CONFIRM))))
    ]
    assert "at least 30.00 GiB" in told
    assert "15.00 GiB" in told
    assert told.count("not measured") == 2


def test_equal_answers_share_a_row_and_many_share_one_by_verdict():
    same = drawn(
        decided(
            *((who, OBSERVED, (24 * GIB, 24 * GIB), Verdict.ADMISSIBLE) for who in ("a", "b", "c"))
        )
    )
    assert "3 candidates" in [m.text for m in letterings(same)]
    many = drawn(
        decided(
            *(
                (
                    f"n{n}",
                    OBSERVED,
                    (n * GIB, n * GIB),
                    Verdict.EXCLUDE if n < 20 else Verdict.ADMISSIBLE,
                )
                for n in range(10, 40)
            )
        )
    )
    told = [m.text.replace("\xa0", " ") for m in letterings(many)]
    assert {"10 candidates", "20 candidates", "10.00 to 19.00 GiB"} <= set(told)
    # Each of the thirty has its mark.
    assert len({m.points for m in many.marks if isinstance(m, Stroke) and m.kind == "tick"}) == 30


def test_a_failure_has_a_cross_and_the_words_for_it():
    told = drawn(decided(("one", ENVELOPE, (24 * GIB, 24 * GIB), Verdict.EXCLUDE)))
    assert [m.shape for m in told.marks if isinstance(m, Sign)].count("cross") == 1
    assert any("✕ a run failed on it" in plain(line) for line in told.caption)


def test_it_is_low_enough_for_the_pages_that_are_signed():
    """38 mm for four candidates of four needs: a unit is 0.178 mm."""
    rows = [
        (f"c{n}", ("observed", [(20 + n) * GIB], 0), (48 * GIB, 48 * GIB), Verdict.ADMISSIBLE)
        for n in range(4)
    ]
    assert drawn(decided(*rows)).height * 178 <= 39_000


def test_words_say_each_need_each_capacity_and_each_answer():
    told = drawn(
        decided(
            ("one", OBSERVED, (24 * GIB, 24 * GIB), Verdict.ADMISSIBLE),
            ("two", OBSERVED, (None, 16 * GIB), Verdict.TO_CONFIRM),
        )
    ).said.replace("\xa0", " ")
    assert re.search(r"Needs in limit: process device used 20\.00 GiB", told)
    assert "one has 24.00 GiB, a useful margin of 4.00 GiB: Fits." in told
    assert "two has at most 16.00 GiB: Not established." in told


def test_no_number_is_cut():
    """Half a number would be another number: one without room is left to the words below."""
    huge = ("floor", [10**9 * GIB], 0)
    told = drawn(decided(("one", huge, (10**9 * GIB, 2 * 10**9 * GIB), Verdict.TO_CONFIRM)))
    for mark in letterings(told):
        assert not any(sign.isdigit() for sign in mark.text) or width(mark.text, 15) <= mark.room
    assert "1 000 000 000.00 GiB" in told.said.replace("\xa0", " ")


def test_numbers_that_would_print_alike_are_told_to_the_byte():
    """Law 2: no rounded text contradicts the answer beside it."""
    near = ("observed", [24 * GIB + 1], 0)
    told = drawn(decided(("one", near, (24 * GIB, 24 * GIB), Verdict.EXCLUDE)))
    said = told.said.replace("\xa0", " ")
    assert "25 769 803 777 B" in said
    assert "one has 25 769 803 776 B" in said
    shown = [m.text.replace("\xa0", " ") for m in letterings(told)]
    assert {"25 769 803 777 B", "25 769 803 776 B"} <= set(shown)
