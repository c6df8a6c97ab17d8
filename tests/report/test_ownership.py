"""The section of buying against renting: the answer, what flips it, what is left out (catalog 6)."""

import json
import re
from functools import cache

import jsonschema_rs
import pytest
from evaluate.plans import judged, plan_text
from report.test_view import inside, words
from scenarios.story import check

from fiche.assets import schema_text
from fiche.kernel.ledger import ledger
from fiche.render._classes import sheet
from fiche.render.attachment import attachments_of
from fiche.render.html import html_bytes
from fiche.render.json import decision_bytes, decision_document
from fiche.report.crossing import BOTTOM, LEFT, RIGHT
from fiche.report.parts import Amount, Costs, Table
from fiche.report.view import view


@cache
def decided(**changes):
    return judged(plan_text(**changes))


def section(made):
    return next(one for one in view(made).sections if one.id == "ownership")


def page(made):
    found = attachments_of(made, decision_bytes(made), {})
    return html_bytes(view(made), made, found).decode("utf-8")


def said(made):
    return words(section(made)).replace("\xa0", " ")


def test_there_is_no_section_and_no_key_without_a_plan():
    from evaluate.build import candidate, decision, memory

    plain = decision([candidate()], [], [memory()])
    assert "ownership" not in [one.id for one in view(plain).sections]
    assert "ownership" not in decision_document(plain)


def test_the_answer_says_both_signs_and_on_what_it_hangs():
    told = said(decided())
    assert "undiscounted, buying costs 4 834.26 EUR" in told
    assert "renting costs 3 935.69 EUR" in told
    assert "The two answers differ in sign." in told
    assert re.search(
        r"hangs first on rent of a card and useful hour: 1\.09 EUR/h.*1\.1465 EUR/h", told
    )


def test_equal_signs_are_not_said_to_differ():
    assert "differ in sign" not in said(decided(discount_rate="0 %"))
    assert "No discount rate is told." in said(decided(discount_rate=None))


def test_what_is_untold_and_what_people_leave_out_is_named():
    made = decided(staff=None)
    told = said(made)
    for words_ in (
        "the answer is open",
        "All that is untold may come to 4 208.57 EUR",
        "staff, a year: untold",
        "egress: what leaving the rented machine costs, for hourly, monthly untold",
        "lead time: no delivery date of own is documented",
        "resale risk",
        "the watts are of the cards alone",
        "what the watts are (TDP, TGP, TBP or a reading) is untold",
    ):
        assert words_ in told, words_


def test_the_word_of_a_power_is_kept_beside_the_catalogs_own():
    told = said(judged(plan_text(energy={"term": "TDP"})))
    assert "The watts are TDP" in told
    assert "the catalog has 350 W" in told


def test_nothing_of_it_turns_a_verdict():
    """D2: a plan is about money among candidates, and never admits."""
    with_plan, without = decided(), judged(plan_text("other", years=9))
    verdicts = [[(f.candidate, f.verdict) for f in made.findings] for made in (with_plan, without)]
    assert verdicts[0] == verdicts[1]
    assert "Nothing here admits or excludes" in said(with_plan)


def test_every_number_of_the_section_is_in_the_ledger():
    made = decided()
    book = ledger(made)
    amounts = list(_amounts(section(made)))
    assert len(amounts) > 100
    assert {amount.figure for amount in amounts} <= set(book.figures)


def _amounts(part):
    if isinstance(part, Amount):
        yield part
    elif isinstance(part, tuple):
        for each in part:
            yield from _amounts(each)
    else:
        for name in getattr(type(part), "__fields__", ()):
            yield from _amounts(getattr(part, name))


def test_columns_of_costs_add_up_to_their_sums():
    """What a reader adds by hand, in cents, is the sum that is printed (D2)."""
    made = decided()
    costs = next(t for t in inside(section(made), Table) if t.id == "own-costs-1")
    cells = [[words(cell).replace("\xa0", "") for cell in row.cells] for row in costs.rows]
    numbers = {row[0]: [_number(text) for text in row[1:]] for row in cells[1:10] if len(row) > 1}
    for column in range(3):
        lines = sum(
            n[column]
            for name, n in numbers.items()
            if name not in ("owning", "less the value at the end")
        )
        wanted = lines - numbers["less the value at the end"][column]
        assert abs(wanted - numbers["owning"][column]) <= 0.05


def _number(text):
    return float(re.match(r"[\d.]+", text)[0])


# --- The picture ----------------------------------------------------------------------------------


def picture(made):
    (drawn,) = inside(view(made).sections, Costs)
    return drawn


def test_the_picture_has_a_line_each_and_marks_the_crossings():
    drawn = picture(decided())
    assert [course.label for course in drawn.courses] == [
        "own, bought",
        "hourly, rented",
        "monthly, rented",
    ]
    first, second = drawn.marks
    assert (first.number, second.number) == (1, 2)
    assert second.x < first.x  # the monthly rent comes first
    own = drawn.courses[0].points
    assert own[1][0] == own[2][0]  # what comes back at the end
    assert own[2][1] > own[1][1]
    assert len(drawn.courses[2].points) > 2 * 8 * 4  # eight periods a year, in steps
    assert len(drawn.years) == 3


def test_the_picture_is_said_in_words_with_its_crossings():
    drawn = picture(decided())
    told = drawn.said.replace("\xa0", " ")
    assert "own bought: 44 000.00 EUR at the start" in told
    assert (
        "2: rent of monthly exceeds the cost of owning after 19 418 h rented, at 88 500.00 EUR"
        in told
    )
    assert "never exceeds" in picture(judged(plan_text(), hour="0.80")).said


def test_what_the_picture_says_in_words_is_in_the_document():
    """Law 1: no amount of the description is a sum that nothing lists."""
    made = decided()
    listed = {f"{float(node.low):.2f}" for node in ledger(made).figures.values()}
    told = re.findall(r"\d[\d\xa0\u202f ]*\.\d\d(?=\s*EUR)", picture(made).said)
    assert len(told) == 6
    assert {re.sub(r"[^\d.]", "", amount) for amount in told} <= listed


def test_lines_are_told_apart_without_colour_and_nothing_leaves_the_picture():
    made = decided()
    svg = re.search(r'<svg[^>]*class="pic narrow".*?</svg>', page(made), flags=re.DOTALL)[0]
    words = re.findall(r'<path d="M8 \d+ H50" class="l-\w+ (k-[\w-]+)"', svg)
    rules = [re.findall(rf"\.{word}\b[^{{]*{{([^}}]*)}}", sheet())[0] for word in words]
    styles = [re.findall(r"stroke-width:([\d.]+)|stroke-dasharray:([\d ]+)", r) for r in rules]
    styles = [tuple(style) for style in styles]
    drawn = picture(made)
    assert len(set(styles)) == len(drawn.courses) == 3
    for course in drawn.courses:
        for x, y in course.points:
            assert LEFT <= x <= RIGHT
            assert 0 <= y <= BOTTOM


def test_without_a_price_or_years_there_is_no_picture():
    assert list(inside(view(decided(years=None)).sections, Costs)) == []


def test_a_name_is_no_markup():
    """Law 7: words of a fiche are shown, never obeyed."""
    made = judged(plan_text(further='    considered: {egress: "<script>alert(1)</script>"}'))
    assert "<script>alert" not in page(made)


# --- decision.json --------------------------------------------------------------------------------


CHANGES = [
    {},
    {"staff": None},
    {"discount_rate": None},
    {"years": None},
    {"residual": None},
    {"utilisation": None},
    {"energy": {"idle": None, "pue": None}},
    {"energy": {"per": "module"}},
    {"further": "    rented: without_break"},
    {"discount_rate": "100 %", "years": 1},
    {"residual": "44000 EUR", "utilisation": "1 %"},
]


@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_decision_json_fits_its_schema_and_is_worked_out_again(changes):
    made = judged(plan_text(**changes))
    schema = jsonschema_rs.validator_for(json.loads(schema_text("decision.schema.json")))
    document = json.loads(decision_bytes(made))
    assert [error.message for error in schema.iter_errors(document)] == []
    check(document)
    ids = {figure["id"] for figure in document["figures"]}
    (told,) = document["ownership"]
    assert told["owned"]["per_year"] in ids
    assert {flip["used"] for rent in told["rentals"] for flip in rent["flips"]} <= ids
