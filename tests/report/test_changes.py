"""A difference as a report: every moved verdict, both sides' numbers with their marks, sums that add up."""

from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from render import decisions
from report.test_comments import inside

from fiche.cli.compile import compile_fiche
from fiche.cli.diff_sides import compared
from fiche.evaluate.difference_documents import documents
from fiche.kernel.difference import Change, Detail, Difference, Move, Side, Standing
from fiche.kernel.figure import Figure
from fiche.kernel.ledger import ledger
from fiche.languages import spoken, tags
from fiche.render.json import decision_document
from fiche.report._changes_told import figure_of, unit_of
from fiche.report.changes import Compared, changes
from fiche.report.link_parts import Link
from fiche.report.parts import Amount, Box, Code, Table

SAMPLES = Path(__file__).parents[2] / "samples"
NAMES = ("serving", "committee", "buy-or-rent", "qlora", "throughput")


@cache
def sample(name):
    return compile_fiche(SAMPLES / name / "fiche.yaml").decision


@pytest.mark.parametrize("name", NAMES)
def test_a_number_of_a_document_is_the_decision_s_own(name):
    decision = sample(name)
    listed = ledger(decision).figures
    told = {figure["id"]: figure for figure in decision_document(decision)["figures"]}
    assert told.keys() == listed.keys()
    for id, node in listed.items():
        read = figure_of(told[id])
        if not isinstance(node, Figure):
            continue
        assert read is not None, id
        assert unit_of(str(node.unit)) == read.unit
        assert str(read.unit) == str(node.unit)
        ends = [(read.low, node.low), (read.high, node.high)]
        for mine, own in ends:
            if mine is None or own is None:
                assert mine is own
            else:  # half a byte does not exist: bounds move outward when they are written
                assert abs(Fraction(mine) - Fraction(own)) < (1 if str(node.unit) == "B" else 1e-30)


@pytest.mark.parametrize(
    "told", [{}, {"value": "x", "unit": "", "id": "a"}, {"low": "1", "id": "a"}]
)
def test_what_is_no_number_is_none(told):
    assert figure_of(told) is None


SIDES = [
    Side(name=f"{name}.json", kind="decision", title=title, date="2026-11-29", tool="0.1.0")
    for name, title in (("a", "Old"), ("b", "New"))
]


def report_of(language="en", **parts):
    document = decision_document(decisions.rich())
    given = {
        "changes": (),
        "moves": (),
        "standings": (),
        "asked": 9,
        "reworded": 2,
        "rejudged": True,
    }
    found = Difference(before=SIDES[0], after=SIDES[1], **{**given, **parts})
    sides = Compared(found=found, before=document, after=document, digests=("a" * 64, "b" * 64))
    return changes(sides, spoken(language)), document


def text_of(parts):
    return "".join(getattr(part, "text", getattr(part, "word", "")) for part in parts)


def test_no_number_travels_without_its_mark_and_both_sides_are_shown():
    document = decision_document(decisions.rich())
    found = next(f for f in document["findings"] if f["need"] and f["have"])
    move = Move(
        candidate=found["candidate"], requirement=found["requirement"], case=found["case"],
        device=found["device"], before="admissible", after="exclude", how="any", by=("piece:p", "fiche:date"),
    )  # fmt: skip
    day = Detail(name="", before="2026-11-29", after="2026-12-20")
    file = Detail(name="file", before=None, after="x.json")
    parts = (
        Change(kind="fiche", name="date", what="changed", details=(day,)),
        Change(kind="piece", name="p", what="added", details=(file,)),
    )
    report, _ = report_of(moves=(move,), changes=parts)
    (table,) = [b for b in report.sections[0].blocks if isinstance(b, Table)]
    (row,) = [row for row in table.rows if not row.group]
    amounts = list(inside(row, Amount))
    assert [a.figure for a in amounts] == [found["need"]["id"], found["have"]["id"]] * 2
    assert all(a.mark_word and a.text for a in amounts)
    assert [(link.text, link.to) for link in inside(row.cells[3], Link)] == [
        ("p", "change-2"),
        ("date", "change-1"),
    ]
    (listed,) = [b for b in report.sections[1].blocks if isinstance(b, Table)]
    assert [row.anchor for row in listed.rows if not row.group] == ["change-1", "change-2"]


def test_page_one_counts_what_moved_and_what_did_not():
    moves = tuple(
        Move(candidate="a", requirement=f"r{n}", case="", device="", before="admissible",
             after="to_confirm", how=how, by=())
        for n, how in enumerate(("alone", "alone", "together"))
    )  # fmt: skip
    standing = Standing(candidate="a", before="retained", after="excluded", rank_before=1)
    report, _ = report_of(moves=moves, standings=(standing,))
    (box,) = [b for b in report.opening if isinstance(b, Box)]
    assert [text_of(line) for line in box.closing] == [
        "Verdicts that moved: 3 of 9 = 2 by one change alone + 1 by several changes together.",
        "Verdicts that did not move: 6 of 9; for another reason than before: 2.",
    ]
    (answer,) = box.answers
    assert (answer.state.code, answer.subject) == ("excluded", (Code("a"),))


def test_what_came_or_went_is_one_row_with_its_counts():
    moves = tuple(
        Move(candidate="new", requirement=f"r{n}", case="", device="", before=None, after=code)
        for n, code in enumerate(("admissible", "exclude", "admissible"))
    )
    came = Change(kind="candidate", name="new", what="added", details=())
    report, _ = report_of(moves=moves, changes=(came,))
    (table,) = [b for b in report.sections[0].blocks if isinstance(b, Table)]
    (row,) = table.rows
    told = [" ".join(text_of(line) for line in cell.lines) for cell in row.cells]
    assert told == [
        "new 3 verdicts of it",
        "not asked",
        "Admissible 2 Excluded 1",
        "with the candidate",
    ]


def test_nothing_differs_is_said():
    report, _ = report_of(asked=0, reworded=0)
    (box,) = [b for b in report.opening if isinstance(b, Box)]
    assert text_of(box.closing[0]) == "Nothing differs."


@pytest.mark.parametrize("tag", tags())
def test_every_language_shows_the_same_codes_and_numbers(tag):
    old = decision_document(sample("serving"))
    changed = {**old, "date": "2026-12-20", "title": "Another"}
    found = documents(("a", "decision", old), ("b", "decision", changed))
    assert not found.empty
    sides = Compared(found=found, before=old, after=changed, digests=("a" * 64, "b" * 64))
    english, other = changes(sides), changes(sides, spoken(tag))
    for kind, key in ((Amount, "figure"), (Link, "to")):
        assert [getattr(p, key) for p in inside(other.sections, kind)] == [
            getattr(p, key) for p in inside(english.sections, kind)
        ]
    assert [s.id for s in other.sections] == [s.id for s in english.sections]


def test_fiches_are_judged_again_and_documents_are_not():
    path = SAMPLES / "guide" / "fiche.yaml"
    same = compared(path, path)
    assert same.found.rejudged
    assert same.found.empty
    documents_ = [decision_document(one) for one in same.whole]
    sides = Compared(
        found=same.found, before=documents_[0], after=documents_[1], digests=("a" * 64, "a" * 64)
    )
    assert "Nothing is guessed" in how(changes(sides))
    assert "Nothing was judged again" in how(report_of(rejudged=False)[0])


def how(report):
    (section,) = [s for s in report.sections if s.id == "how"]
    return str(section)
