"""Comments beside a report: counted on page one, marked where they belong; nothing else of it moves."""

import re
from functools import cache
from pathlib import Path

import pytest

from fiche.cli.compile import compile_fiche
from fiche.kernel.address import Span
from fiche.kernel.comment import Comment, Resolution, Review
from fiche.kernel.record import field_names, replace
from fiche.languages import spoken, tags
from fiche.report.link_parts import Link, Remark
from fiche.report.nameable import nameable
from fiche.report.parts import Amount, Box, Row, Table
from fiche.report.view import brief, view

FICHE = Path(__file__).parents[2] / "samples" / "committee" / "fiche.yaml"
NOWHERE = Span(file="review.yaml", line=1, column=1)


@cache
def decision():
    return compile_fiche(FICHE).decision


def comment(name, on, sort, *, done=False):
    answer = Resolution(by="B", date="2026-12-02", says="so") if done else None
    return Comment(
        id=name, by="A", role="", date="2026-12-01", on=on, sort=sort, says=f"words of {name}",
        span=NOWHERE, resolved=answer,
    )  # fmt: skip


def commented(*comments, of="", is_apart=False):
    review = Review(file="review.yaml", of=of, comments=comments, is_apart=is_apart)
    return replace(decision(), review=review)


def inside(thing, kind):
    """Every part of a kind, in the order of the page."""
    if isinstance(thing, kind):
        yield thing
    if isinstance(thing, tuple):
        for each in thing:
            yield from inside(each, kind)
    elif field_names(thing):
        for name in field_names(thing):
            yield from inside(getattr(thing, name), kind)


def inside_runs(thing):
    """Every tuple of parts."""
    if isinstance(thing, tuple):
        yield thing
        for each in thing:
            yield from inside_runs(each)
    elif field_names(thing):
        for name in field_names(thing):
            yield from inside_runs(getattr(thing, name))


def is_mark(run):
    return [isinstance(part, Remark) for part in run]


def without_remarks(thing):
    if isinstance(thing, tuple):
        return tuple(without_remarks(one) for one in thing if not isinstance(one, Remark))
    if isinstance(thing, int | str):
        return thing
    names = [name for name in field_names(thing) if isinstance(getattr(thing, name), tuple)]
    return replace(thing, **{name: without_remarks(getattr(thing, name)) for name in names})


def rows(report):
    (section,) = [s for s in report.sections if s.id == "comments"]
    (table,) = [b for b in section.blocks if isinstance(b, Table)]
    return table.rows


ON = [
    ("two-6000-ada", "candidate"),
    ("budget", "requirement"),
    ("two-6000-ada/memory.limit", "finding"),
    ("quote-helix", "piece"),
    ("limit", "case"),
    ("margin.longer-texts", "figure"),
    ("D3", "point"),
    ("memory_available", "topic"),
    ("1", "step"),
]


@pytest.mark.parametrize(("on", "sort"), ON)
def test_what_is_commented_bears_a_mark_that_leads_there_and_back(on, sort):
    assert sort in nameable(decision())[on]
    report = view(commented(comment("c1", on, sort)))
    marks = list(inside((report.opening, report.sections), Remark))
    assert marks
    assert all(mark.comment == "c1" for mark in marks)
    assert [mark.here for mark in marks if mark.here] == ["on-c1"]
    (row,) = rows(report)
    assert row.anchor == "comment-c1"
    (link,) = inside(row, Link)
    assert (link.text, link.to) == (on, "on-c1")


def test_a_comment_on_a_number_stands_right_behind_it():
    report = view(commented(comment("c1", "margin.longer-texts", "figure")))
    runs = [run for run in inside_runs((report.opening, report.sections)) if any(is_mark(run))]
    assert runs
    for run in runs:
        for place, is_one in enumerate(is_mark(run)):
            before = run[place - 1]
            assert not is_one or (isinstance(before, Amount) and before.figure.startswith("margin"))


def test_a_comment_on_a_case_of_a_verdict_marks_rows_of_that_verdict_only():
    on = "two-6000-ada/memory.limit"
    report = view(commented(comment("c1", on, "finding")))
    marked = [row for row in inside(report.sections, Row) if list(inside(row, Remark))]
    assert marked
    assert {row.requirement for row in marked} == {"memory"}
    assert {row.candidate for row in marked} <= {"two-6000-ada", ""}


def test_nothing_else_of_the_report_changes():
    plain = view(decision())
    told = view(commented(*(comment(f"c{n}", on, sort) for n, (on, sort) in enumerate(ON))))
    kept = [without_remarks(s) for s in told.sections if s.id != "comments"]
    assert kept == list(plain.sections)
    for before, after in zip(plain.opening, without_remarks(told.opening), strict=True):
        if isinstance(before, Box):
            assert after.closing[:-1] == before.closing
            after = replace(after, closing=before.closing)
        assert after == before


def test_open_ones_first_and_counted_on_page_one():
    found = commented(
        comment("c1", "budget", "requirement", done=True), comment("c2", "report", "report")
    )
    for report in (view(found), brief(found)):
        assert [row.anchor for row in rows(report)] == ["comment-c2", "comment-c1"]
        (box,) = [b for b in report.opening if isinstance(b, Box)]
        line = "".join(getattr(part, "text", "") for part in box.closing[-1])
        assert line == "Comments by people: 1 open, 1 resolved; see Comments."
    assert [s.place for s in view(found).sections if s.id == "comments"] == ["record"]


def test_each_comment_on_another_version_says_so():
    comments = [comment(f"c{n}", "report", "report") for n in range(3)]
    apart = view(commented(*comments, of="a" * 64, is_apart=True))
    words = "written on another version"
    assert all(words in str(row) for row in rows(apart))
    assert not any(words in str(row) for row in rows(view(commented(*comments, of="a" * 64))))


@pytest.mark.parametrize("tag", tags())
def test_in_every_language_the_same_ids_in_the_same_order(tag):
    found = commented(*(comment(f"c{n}", on, sort) for n, (on, sort) in enumerate(ON)))
    report = view(found, spoken(tag))
    assert [row.anchor for row in rows(report)] == [f"comment-c{n}" for n in range(len(ON))]
    marks = list(inside((report.opening, report.sections), Remark))
    english = list(inside((view(found).opening, view(found).sections), Remark))
    assert [(m.comment, m.here) for m in marks] == [(m.comment, m.here) for m in english]
    if tag != "en":
        told = rows(report)
        assert not any(re.search(r"\b(criterion|verdict of|open point)\b", str(r)) for r in told)


def test_an_id_that_the_page_has_no_row_for_is_printed_and_leads_nowhere():
    found = commented(comment("c1", "D99", "point"))
    (row,) = rows(view(found))
    assert [link.to for link in inside(row, Link)] == [""]
