"""The pages that are signed: short, complete in their counts, bounded however much a fiche asks (D1, E1)."""

import re
from collections import Counter
from functools import cache
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader
from render.pages import NAMES, decision
from report.test_view import inside, rows, table, words

from fiche.cli.compile import compile_fiche
from fiche.cli.reports import Asked, files
from fiche.kernel.finding import Verdict
from fiche.kernel.record import replace
from fiche.languages import spoken
from fiche.report.desk import Desk
from fiche.report.parts import Amount, Box, Table
from fiche.report.points import numbered, of_finding
from fiche.report.view import view

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
# At most eight criteria each.
SHORT = (
    "guide", "one-change", "two-cards", "qlora", "long-context", "latent-cache", "scores", "incident",
    "dense", "second-opinion", "committee", "buy-or-rent", "package-cost",
)  # fmt: skip
MANY = 300


@cache
def sample(name):
    return compile_fiche(SAMPLES / name / "fiche.yaml")


def of(report, place):
    return [s for s in report.sections if s.place == place]


def without(report):
    """The signed pages alone."""
    return replace(report, sections=tuple(of(report, "brief")))


@cache
def crowd():
    """Three hundred candidates and two hundred pieces."""
    made = decision("rich")
    outcomes, findings = [], []
    for place in range(MANY):
        base = made.outcomes[place % len(made.outcomes)]
        name = f"candidate-{place}"
        own = tuple(replace(f, candidate=name) for f in base.findings)
        findings += own
        outcomes.append(replace(base, candidate=replace(base.candidate, id=name), findings=own))
    pieces = made.fiche.pieces
    more = tuple(replace(pieces[n % len(pieces)], id=f"piece-{n}") for n in range(200))
    candidates = tuple(outcome.candidate for outcome in outcomes)
    fiche = replace(made.fiche, pieces=(*pieces, *more), candidates=candidates, choice=None)
    return replace(
        made,
        fiche=fiche,
        outcomes=tuple(outcomes),
        findings=tuple(findings),
        second_readings=(),
        settling=None,
        conditional_choice=False,
        alternatives=(),
        invalidations=(),
        remedies=(),
        ownerships=(),
        choosing=None,
    )


# --- Anatomy --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_sections_stand_in_order_of_their_place_and_each_id_once(name):
    report = view(decision(name))
    places = [s.place for s in report.sections]
    assert places == sorted(places, key=("brief", "record", "annex").index)
    ids = [s.id for s in report.sections]
    assert len(ids) == len(set(ids))
    tables = [t.id for t in inside(report, Table)]
    assert len(tables) == len(set(tables))
    assert [s.id for s in of(report, "brief")][:4] == ["open", "elimination", "origin", "cited"]


def test_the_box_says_whether_a_must_is_violated_and_what_would_change_it():
    (box,) = inside(view(sample("serving").decision).opening, Box)
    told = [words(line).replace("\u00a0", " ") for line in box.closing]
    assert "A must is violated: own-4080 (memory); open for rent-6000-ada (D1, D2, D3, D4)." in told
    (turning,) = [line for line in told if line.startswith("What would change it: ")]
    assert "rent-6000-ada: retained once D1, D2, D3 and D4 come out well" in turning
    assert "own-4080 stays excluded unless oom-4080 is shown wrong on memory" in turning
    assert "rent-4090 changes to ▲ To confirm if margin.longer-prompts is 2.31 GiB" in turning


@pytest.mark.parametrize("tag", ["en", "fr", "pt", "tr"])
def test_the_signed_pages_say_what_the_pdf_is_built_to_and_who_says_more(tag):
    """Not only the annex: a claim of construction, never of validation."""
    report = view(decision("rich"), spoken(tag))
    (told,) = [words(b.parts) for s in of(report, "brief") if s.id == "attached" for b in s.blocks]
    assert all(name in told for name in ("PDF/A-3a", "PDF/UA-1", "report.pdf.validation.json"))
    assert re.search(r"fiche explain FICHE \S+/memory\b", told)


def test_candidates_that_turn_at_the_same_points_are_told_together():
    (box,) = inside(view(sample("buy-or-rent").decision).opening, Box)
    told = [words(line) for line in box.closing]
    assert any("open for hourly, monthly, own (D1, D2, D3)." in line for line in told)
    (turning,) = [line for line in told if line.startswith("What would change it: ")]
    assert turning.count("retained once") == 1
    assert "hourly, monthly, own: retained once D1, D2 and D3 come out well" in turning


def test_more_points_than_a_reader_holds_in_mind_are_counted():
    (box,) = inside(view(sample("server").decision).opening, Box)
    (turning,) = [t for t in map(words, box.closing) if t.startswith("What would change it: ")]
    assert "bridged: retained once all 6 open points come out well" in turning
    assert "too-old stays excluded" in turning


# --- Counts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHORT)
def test_statuses_add_up_in_the_box_and_in_the_annex(name):
    made = sample(name).decision
    report = view(made)
    (box,) = inside(report.opening, Box)
    told = [w for line in box.closing if re.match(r"\d+ candidates?: ", w := words(line))]
    total, *parts = [int(n) for n in re.findall(r"\d+", told[0])]
    assert total == sum(parts) == len(made.outcomes)
    statuses = Counter(o.status for o in made.outcomes)
    assert parts == [statuses[key] for key in ("retained", "to_confirm", "excluded")]
    listed = [row.candidate for row in table(report, "candidates").rows if not row.group]
    assert sorted(listed) == sorted(o.candidate.id for o in made.outcomes)


@pytest.mark.parametrize("name", SHORT)
def test_every_criterion_answers_for_every_candidate(name):
    """An answer that several share is told once, and names them all."""
    made = sample(name).decision
    report = view(made)
    everybody = [o.candidate.id for o in made.outcomes]
    answered = {}
    for level in ("musts", "wants"):
        for t in inside(report, Table):
            for row in t.rows if t.id == level else ():
                who = words(row.cells[-5].lines)
                alike = who.startswith("all ")
                named = [
                    each for each in everybody if alike or re.search(rf"{re.escape(each)}\b", who)
                ]
                answered.setdefault(row.requirement, set()).update(named)
    assert set(answered) == {r.id for r in made.fiche.requirements}
    assert all(found == set(everybody) for found in answered.values())


@pytest.mark.parametrize("name", SHORT)
def test_points_have_the_numbers_by_which_they_are_named_everywhere(name):
    made = sample(name).decision
    desk = Desk.of(made)
    points = numbered(desk)
    assert [p.number for p in points] == list(range(1, len(points) + 1))
    if points:
        report = view(made)
        first = [row[0].split(" ")[0] for row in rows(report, "missing")]
        assert first == [f"D{p.number}" for p in points]
    for found in made.findings:
        asked = {c for point in of_finding(desk, found) for c in point.conditions}
        excluded = next(o for o in made.outcomes if o.candidate.id == found.candidate)
        if found.level == "must" and excluded.verdict is not Verdict.EXCLUDE:
            assert set(found.conditions) <= asked


def test_a_margin_is_signed_and_in_percent_of_its_limit():
    told = {row[-3] for row in rows(view(sample("serving").decision), "musts")}
    assert "+28.01 USD, +17.5 % CALC" in told
    assert "+6 days CALC" in told
    made = sample("serving").decision
    (found,) = [f for f in made.findings if f.requirement == "quiet" and f.candidate == "rent-4090"]
    assert found.margin.low == -150
    assert found.share.low == found.margin.low / 300


# --- Length ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", SHORT)
def test_two_pages_and_a_record(name):
    """One page that answers, one that proves: a record of a choice stands on pages of its own."""
    made = files(sample(name), Asked(formats=("pdf",)))["report.pdf"]
    pages = [page.extract_text() for page in PdfReader(BytesIO(made)).pages]
    record = any(s.place == "record" for s in view(sample(name).decision).sections)
    signed = next((n for n, text in enumerate(pages) if "The choice on record" in text), len(pages))
    if not record:
        assert len(pages) <= 2
    assert signed <= 2


def test_hundreds_of_candidates_are_counted_first_and_told_in_the_annex():
    report = view(crowd())
    (box,) = inside(report.opening, Box)
    assert len(box.answers) == 8
    text = " ".join(words(line) for line in box.closing)
    assert "300 candidates: " in text
    assert re.search(r"\d+ further answers, with their answers, stand in the annex\.", text)
    signed = sum(len(t.rows) for t in inside(tuple(of(report, "brief")), Table))
    assert signed < 120
    assert "candidate-3, candidate-7, candidate-11, candidate-15, 71 more (memory)" in text
    assert len(list(inside(report, Table))) == len({t.id for t in inside(report, Table)})
    assert max(len(c.lines) for r in table(report, "points").rows for c in r.cells) <= 5
    assert all(len(words(line)) < 900 for line in box.closing)
    assert sum(not row.group for row in table(report, "candidates").rows) == MANY
    assert len(table(report, "pieces").rows) == len(crowd().fiche.pieces)


def test_no_number_of_the_signed_pages_lacks_its_origin():
    for name in SHORT:
        for amount in inside(without(view(sample(name).decision)), Amount):
            assert amount.mark
            assert amount.figure
