"""What an overview counts of an archive, and that a page says no more than that."""

from datetime import date
from fractions import Fraction

import pytest
from archive.holdings import entry, many

from fiche.archive.entry import Row
from fiche.archive.overview import Limits, Scope, counted, held
from fiche.kernel.holdings import ANSWERS
from fiche.kernel.record import replace

DAY = date(2026, 12, 1)
SCOPE = Scope(archive="6f0e…", day=DAY)
CARD, MODEL = "nvidia-l4-24g", "org/small"


def of(entries, scope=SCOPE, limits=None):
    entries = [counted(one) for one in entries]
    return held(lambda: iter(entries), scope, limits)


def run(number, outcome="passed", amount="100", **more):
    told = {
        "model": MODEL,
        "card": CARD,
        "quantity": "reserved.peak",
        "unit": "B",
        "origin": "observed",
    }
    return entry(number, rows=(Row(**told, outcome=outcome, amount=amount),), **more)


def decided(number, *outcomes, **more):
    """A decision with a candidate an outcome; what its findings say is no verdict on a candidate."""
    found = {"amount": "7", "unit": "B", "origin": "observed", "quantity": "memory.peak"}
    rows = (
        *(Row(model=MODEL, card=CARD, outcome=one) for one in outcomes),
        Row(model=MODEL, card=CARD, outcome="exclude", **found),
    )
    return entry(number, kind="decision", rows=rows, **more)


def test_a_run_admits_nothing_and_a_decision_does():
    assert of([run(1)]).meetings[0].answer == "ran"
    assert of([run(1), decided(2, "admissible")]).meetings[0].answer == "admitted"


@pytest.mark.parametrize(
    ("entries", "answer"),
    [
        ([run(1, "failed")], "failed"),
        ([run(1, "failed"), run(2)], "mixed"),
        ([run(1, "unknown")], "unknown"),
        ([run(1, "")], "unknown"),
        ([run(1), decided(2, "to confirm")], "to_confirm"),
        ([decided(1, "admissible"), decided(2, "exclude")], "divided"),
        ([run(1), decided(2, "exclude", "to confirm")], "excluded"),
    ],
)
def test_what_is_known_of_a_pair(entries, answer):
    holdings = of(entries)
    assert [one.answer for one in holdings.meetings] == [answer]
    assert holdings.answers == {answer: 1}


def test_a_range_has_one_peak_an_entry_and_a_decision_observes_nothing():
    phases = (*run(2, amount="60").rows, *run(2, amount="90.5").rows)
    plan = replace(run(3, amount="5").rows[0], origin="computed")
    entries = [run(1), entry(2, rows=phases), entry(3, rows=(plan,)), decided(4, "admissible")]
    (told,) = of(entries).meetings[0].ranges
    assert (told.low, told.high, told.entries) == (Fraction("90.5"), 100, 2)


def test_an_entry_counts_once_under_each_outcome():
    holdings = of([decided(1, "admissible", "admissible", "exclude"), decided(2, "admissible")])
    assert [(one.outcome, one.count) for one in holdings.meetings[0].verdicts] == [
        ("admissible", 2),
        ("exclude", 1),
    ]


def test_a_superseded_entry_counts_in_no_pair_and_stays_in_sight():
    old, new = run(1, "failed"), run(2, supersedes=(run(1).id,))
    holdings = of([old, new])
    assert [(one.outcome, one.count) for one in holdings.meetings[0].runs] == [("passed", 1)]
    assert (holdings.superseded, holdings.entries) == (1, 2)
    assert {one.id: one.superseded_by for one in holdings.latest}[old.id] == (new.id,)


def test_what_is_confidential_is_counted_and_not_named():
    entries = [run(1, confidentiality="confidential", title="secret"), run(2)]
    holdings = of(entries)
    assert (holdings.withheld, holdings.entries) == (1, 1)
    assert "secret" not in repr(holdings)
    shown = of(entries, Scope(archive="a", day=DAY, kept_back=frozenset()))
    assert (shown.withheld, shown.entries) == (0, 2)


def test_the_newest_day_is_the_one_that_entries_tell_not_that_of_adding():
    entries = [run(1, date="2026-01-05"), run(2, date="2026-03-01"), run(3, date="")]
    (told,) = of(entries).meetings[0].runs
    assert (told.newest, told.count) == ("2026-03-01", 3)
    assert told.entries[0] == entries[1].id


def test_retention_that_ends_soon_comes_by_day():
    days = ("2027-12-01", "2027-01-05", "2026-11-30", "")
    holdings = of([run(n, keep_until=day) for n, day in enumerate(days)])
    assert [one.keep_until for one in holdings.leaving] == ["2026-11-30", "2027-01-05"]
    assert holdings.soon == "2027-03-01"


def test_what_is_cut_is_counted():
    holdings = of(many(300), limits=Limits(meetings=2, latest=3, leaving=1))
    whole = of(many(300))
    assert (len(holdings.meetings), len(holdings.latest), len(holdings.leaving)) == (2, 3, 1)
    assert holdings.answers == whole.answers
    assert holdings.pairs == len(whole.meetings) > 2
    assert holdings.leaving_total == whole.leaving_total > 1
    assert set(holdings.answers) <= set(ANSWERS)
    most = sorted((one.entries for one in whole.meetings), reverse=True)[:2]
    assert sorted((one.entries for one in holdings.meetings), reverse=True) == most


def test_narrowed_to_a_part_of_a_name():
    other = entry(9, rows=(Row(model="other", card=CARD, outcome="passed"),))
    scope = Scope(archive="a", day=DAY, narrowed={"model": "SMALL", "card": ""})
    holdings = of([run(1), other, entry(3, rows=())], scope)
    assert (holdings.entries, holdings.narrowed) == (1, {"model": "SMALL"})
    assert [one.model for one in holdings.meetings] == [MODEL]


def test_a_card_stands_under_one_name_and_is_found_by_both():
    printed = replace(run(1).rows[0], card="NVIDIA L4")
    names = {"NVIDIA L4": CARD}
    scope = Scope(archive="a", day=DAY, card_of=lambda name: names.get(name, name))
    entries = [entry(1, rows=(printed,)), run(2)]
    assert [(one.card, one.entries) for one in of(entries, scope).meetings] == [(CARD, 2)]
    for part in ("nvidia l4", "nvidia-l4"):
        narrowed = replace(scope, narrowed={"card": part})
        assert of(entries[:1], narrowed).entries == 1


def test_fiches_and_catalogs_are_counted_and_say_nothing_of_a_pair():
    rows = (Row(model=MODEL, card=CARD), Row(card="other"))
    holdings = of([entry(1, kind="fiche", rows=rows), entry(2, kind="catalog", rows=rows)])
    assert (holdings.kinds, holdings.pairs) == ({"catalog": 1, "fiche": 1}, 0)
    assert holdings.unplaced == 0


def test_order_changes_nothing():
    entries = list(many(120))
    assert of(entries) == of(entries[::-1])


@pytest.mark.parametrize("order", [1, -1])
def test_a_decision_that_is_kept_as_page_and_as_pdf_is_one_decision(order):
    kept = [
        decided(1, "admissible", own_id="a", date="2026-11-01"),
        decided(2, "admissible", own_id="a", date="2026-11-02"),
        decided(3, "admissible", own_id="b", date="2026-10-01"),
    ]
    (pair,) = of(kept[::order]).meetings
    (tally,) = pair.verdicts
    assert (pair.entries, tally.count, tally.newest) == (3, 2, "2026-11-02")
    assert tally.entries == (kept[1].id, kept[2].id)


def test_runs_that_call_themselves_the_same_are_several():
    (pair,) = of([run(1, own_id="limit-1"), run(2, own_id="limit-1")]).meetings
    assert [one.count for one in pair.runs] == [2]
