import itertools
from functools import cache
from pathlib import Path

from report.drawn import assert_sound, letterings

from fiche.cli.compile import compile_fiche
from fiche.kernel.record import replace
from fiche.report._capacity_words import plain
from fiche.report.desk import Desk
from fiche.report.hours import BOTTOM, packages, pictures
from fiche.report.parts import Sign, Stroke

SAMPLES = Path(__file__).parents[2] / "samples"


@cache
def decided(name="package-cost"):
    return compile_fiche(SAMPLES / name / "fiche.yaml").decision


def drawn(made):
    return pictures(Desk.of(made))


def test_packages_by_hours_and_by_months_stand_on_one_scale():
    (one,) = drawn(decided())
    assert_sound(one)
    assert plain(one.caption[0]).replace("\xa0", " ").startswith("1 hours: 413.42 EUR")
    assert plain(one.caption[1]).replace("\xa0", " ").startswith("2 month: 677.00 EUR")
    assert "nobody quoted other hours" in plain(one.caption[-1])
    assert {"1", "2"} <= {m.text for m in letterings(one)}


def test_a_sign_lies_on_its_line_and_costs_in_another_currency_are_left_out():
    (one,) = drawn(decided())
    lines = [m for m in one.marks if isinstance(m, Stroke) and m.kind.startswith("rent")]
    signs = [m for m in one.marks if isinstance(m, Sign)]
    assert len(lines) == len(signs) == 2  # pounds, and what is open, have no line
    month = lines[1].points
    assert any(
        x1 <= signs[1].x <= x2 and y1 == y2 == signs[1].y
        for (x1, y1), (x2, y2) in itertools.pairwise(month)
    )
    (x1, y1), (x2, y2) = lines[0].points
    at = y1 + (y2 - y1) * (signs[0].x - x1) / (x2 - x1)
    assert abs(at - signs[0].y) <= 1
    assert max(y for line in lines for _, y in line.points) <= BOTTOM


def test_a_line_through_what_was_asked_for_is_the_cost_that_was_compared():
    for package in packages(Desk.of(decided())):
        periods = package.hours.low / package.period
        assert package.fixed + package.per_period * periods == package.cost.low


def test_equal_terms_show_nothing_that_a_table_does_not():
    assert drawn(decided("serving")) == ()
    assert drawn(replace(decided(), outcomes=())) == ()
