"""The record of a choice as it is read: page one, the order, people, price, thresholds, signatures (E1)."""

import copy
from functools import cache
from pathlib import Path

import pytest
from evaluate.build import attest, budget, candidate, decision, money, offer, quote, span, stated
from evaluate.test_choosing import MUSTS, chosen, evidence, two_priced
from report.test_view import inside, rows, table, words
from scenarios import story

from fiche.cli.compile import compile_fiche
from fiche.evaluate.unused import unused
from fiche.kernel.choice import Choice, Ordered, Reasonable
from fiche.kernel.origin import Stated
from fiche.kernel.record import replace
from fiche.kernel.unit import ONE
from fiche.render.json import decision_document
from fiche.report.parts import Amount, Box, Callout
from fiche.report.view import view

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


@cache
def committee():
    return compile_fiche(SAMPLES / "committee" / "fiche.yaml").decision


@pytest.fixture(scope="module")
def report():
    return view(committee())


def changed(**words_):
    """The sample with other words in its choice."""
    made = committee()
    return replace(made, fiche=replace(made.fiche, choice=replace(made.fiche.choice, **words_)))


def section(report, name):
    return next(
        (words(s.blocks).replace("\u00a0", " ") for s in report.sections if s.id == name), ""
    )


def callouts(report, kind):
    found = [c for c in inside(report, Callout) if c.kind == kind]
    return [words(c).replace("\u00a0", " ") for c in found]


# --- Page one -------------------------------------------------------------------------------------


def test_page_one_has_every_acceptance_condition_with_its_threshold(report):
    """DESIGN 4: named person, reason, and the open conditions, on page one, complete."""
    (box,) = inside(report.opening, Box)
    assert "by C. Laurent (head of the laboratory), because the only pair" in words(box.closing)
    (told,) = callouts(view(committee()), "conditional")
    before, after = told.split("At delivery")
    assert "D3 documents (seller)" in before
    assert "D1 memory really available" in after
    told = rows(view(committee()), "points")
    asked = {row[0]: row for row in told}
    assert "Right of return if the acceptance test fails" in asked["D3 documents"][2]
    assert "≥ 42.30 GiB free for this process" in asked["D1 memory really available"][2]
    (exact,) = [
        r for r in rows(view(committee()), "missing") if r[0] == "D1 memory really available"
    ]
    assert "≥ 42.30 GiB (45 424 312 320 B) free for this process" in exact[2]
    assert "test: fiche environment on the server as delivered" in after
    assert "(N. Haddad)" in after
    conditions = committee().outcomes[0].conditions
    assert len(conditions) == len(committee().choosing.acceptance) == 2


def test_a_reason_that_ends_as_a_sentence_has_one_full_stop():
    (box,) = inside(view(changed(because="It ran.")).opening, Box)
    assert "because It ran." in words(box.closing)
    assert "ran.." not in words(box.closing)


def test_what_runs_out_before_the_order_is_told_on_page_one():
    day = Ordered(span=span(), date="2026-12-06")
    bought = candidate(offer=offer(valid_until="2026-12-05"))
    made = decision([bought], evidence(), MUSTS, choice=chosen(order=day))
    (told,) = callouts(view(made), "day")
    assert "rent is retained on 2026-11-29. The order is of 2026-12-06" in told
    assert "holds until 2026-12-05" in told
    assert callouts(view(made), "conditional") == []


def test_a_quantity_that_contradicts_the_need_is_told_on_page_one():
    order = Ordered(span=span(), lots=stated(2, ONE, "order.lots"))
    bought = candidate(offer=offer(per="72 h"))
    made = decision([bought], evidence(), MUSTS, choice=chosen(order=order))
    (told,) = callouts(view(made), "apart")
    assert "The order says 2 STATED lots, and the need computes 1 CALC" in told


def test_a_cheaper_retained_candidate_stands_beside_the_reason():
    both, quotes = two_priced()
    made = decision(both, [*evidence(), *quotes], [*MUSTS, budget()], choice=chosen())
    (box,) = inside(view(made).opening, Box)
    told = words(box.closing).replace("\u00a0", " ")
    assert "because needed on Monday. Retained at less: other costs 8.57 USD CALC less." in told


def test_an_excluded_choice_is_told_with_what_excludes_it():
    """DESIGN 4: no acceptance condition can mend that."""
    dear = candidate(offer=offer("90 USD"))
    quoted = quote("90 USD", attest("validity", until="2026-12-31"))
    made = decision([dear], [quoted], [*MUSTS, budget()], choice=chosen())
    (told,) = callouts(view(made), "excluded")
    assert "rent is chosen although it is excluded (✕ Excluded)" in told
    assert "cost: " in told
    assert "Before the order" not in told


# --- The order ------------------------------------------------------------------------------------


def test_what_is_to_be_ordered_of_whom_and_what_it_comes_to(report):
    told = {row[0]: row[1] for row in rows(report, "choice")}
    assert told["Offer"] == "montclair-6000-ada, of Montclair Calcul"
    assert "as ordered: 2 lots STATED, 2 cards STATED" in told["Quantity"]
    assert told["Package cost"] == "17 256.00 EUR CALC with tax (14 380.00 EUR CALC before tax)"
    assert told["Price holds until"] == "2026-12-31"
    assert told["Order"] == "of 2026-12-07, placed by purchasing office of the institute"
    assert told["Budget line"] == "project CORPUS-32, equipment"
    assert told["Budget holder"] == "S. Demir"
    assert "3a590f0e365a7c3d51464aa58b46522428cc2442b27e91a101a7ea0e87930cd7" in told["Replaces"]


def test_every_number_of_it_is_listed_in_the_document(report):
    listed = {figure["id"] for figure in decision_document(committee())["figures"]}
    shown = [s for s in report.sections if s.id in ("choice", "procedure")]
    amounts = {amount.figure for s in shown for amount in inside(s.blocks, Amount)}
    assert amounts
    assert amounts <= listed


def test_a_bare_choice_has_no_section_of_its_own(report):
    """Four words are said on page one, and nothing is asked of who wrote no more."""
    assert section(report, "choice")
    bare = Choice(chosen="two-6000-ada", by="A", role="", because="b")
    made = committee()
    fiche = replace(made.fiche, choice=bare, purchase=replace(made.fiche.purchase, facts={}))
    assert section(view(replace(made, fiche=fiche)), "choice") == ""


# --- People ---------------------------------------------------------------------------------------


def test_a_reservation_is_told_as_one(report):
    told = rows(report, "opinions")
    assert [row[2] for row in told] == ["no reservation", "reservation"]
    assert told[1][:2] == ["P. Vidal", "head of the computing service"]


def test_whoever_disclosed_nothing_is_listed(report):
    told = dict(rows(report, "interests"))
    assert told["S. Demir"] == "no statement on record"
    assert told["N. Haddad"] == "None."


def test_signatures_are_lines_to_sign_and_nothing_fills_them(report):
    told = rows(report, "signatures")
    assert [row[0] for row in told] == ["C. Laurent", "S. Demir", "to be named"]
    assert {cell for row in told for cell in row[2:]} == {""}


# --- Price, and what was looked at ----------------------------------------------------------------


def test_the_ground_of_the_price_is_told_and_so_is_that_there_is_none(report):
    text = section(report, "choice")
    assert "3 offers were compared: montclair-6000-ada (Montclair Calcul) 14 380.00 EUR" in text
    assert "no price reasonableness on record" in section(view(changed(price=None)), "choice")


@pytest.mark.parametrize(
    ("listed", "says"),
    [
        ("60 USD", "by list; the offer is 12.86 USD CALC below it (21.43 % CALC)."),
        ("40 USD", "by list; less the price of the offer: −7.14 USD CALC."),
        ("60 EUR", "by list; no discount can be computed from it."),
    ],
)
def test_a_discount_on_the_list_price_is_computed(listed, says):
    figure = money(listed, stated)
    price = Reasonable(ground="list_price", span=span(), piece="list", listed=figure)
    bought = candidate(offer=offer("47.14 USD"))
    made = decision([bought], evidence(), MUSTS, choice=chosen(price=price))
    assert says in section(view(made), "choice")


def test_what_was_rejected_is_told_with_threshold_value_distance_and_source(report):
    """Catalog 7: which others were looked at, and why each was rejected."""
    told = {row[0].partition(",")[0]: row for row in rows(report, "looked")}
    assert set(told) == {"two-a6000", "one-h100"}
    assert told["one-h100"][1:] == [
        "✕ Excluded: Package cost",
        "28 900.00 EUR CALC",
        "16 000.00 EUR STATED",
        "−12 900.00 EUR CALC",
        "quote-orion",
    ]
    assert "To confirm: open: " in told["two-a6000"][1]


# --- Thresholds -----------------------------------------------------------------------------------


def test_the_needs_total_stands_beside_each_threshold_with_its_source(report):
    bands = rows(report, "procedures")
    assert [(row[3], row[4]) for row in bands[:2]] == [
        ("above it", "within"),
        ("within", "below it"),
    ]
    assert "R2122-8" in bands[0][2]
    assert "as of 2026-04-01" in bands[0][2]
    assert all("to be confirmed by the purchasing office" in row[5] for row in bands)
    assert "with similar orders 60 810.00 EUR CALC" in section(report, "procedure")


def test_one_need_in_several_orders_is_a_warning(report):
    (told,) = callouts(report, "splitting")
    assert "stays below the threshold of Publicity on the buyer profile" in told


def test_no_procedure_is_stated_as_law(report):
    """Catalog 7: the amounts are a policy's, and who applies them is named."""
    text = section(report, "procedure").lower()
    for word in ("must", "obliged", "illegal", "is required", "the law"):
        assert word not in text
    assert (
        "which of them holds is the purchasing office's to say"
        in table(report, "procedures").caption
    )


def test_a_similar_order_that_does_not_count_says_why(report):
    told = {row[0].partition("\n")[0]: row[-1] for row in rows(report, "similar")}
    assert told == {
        "station-2026": "counted",
        "cards-2026": "counted",
        "storage-2025": "not counted: before that period",
    }
    assert "365 days" in words(table(report, "similar").notes).replace("\u00a0", " ")


def test_a_piece_that_the_record_names_is_not_called_unused():
    """Law 8 is about what is left out; an earlier decision and a list of orders are not."""
    named = {one.piece for one in unused(committee())}
    assert not {"orders-2026", "decision-2024"} & named


# --- From YAML ------------------------------------------------------------------------------------


def judged(tmp_path, **more):
    fiche = story.asked()
    fiche["decision"] = {"chosen": "rent", "by": "M. Laurent", "because": "it runs", **more}
    return story.judged(tmp_path, copy.deepcopy(fiche))


def test_a_bare_choice_gains_no_key(tmp_path):
    told = judged(tmp_path)
    assert told["choice"] == {
        "chosen": "rent",
        "by": "M. Laurent",
        "role": "",
        "because": "it runs",
    }
    assert not {"buyer", "procedure"} & set(told)


def test_a_quantity_that_the_need_does_not_compute_stands_in_the_document(tmp_path):
    told = judged(tmp_path, order={"date": "2026-11-29", "lots": 2, "cards": 1})
    (apart,) = told["choice"]["contradictions"]
    numbers = {figure["id"]: figure.get("value") for figure in told["figures"]}
    assert (apart["what"], numbers[apart["ordered"]], numbers[apart["computed"]]) == (
        "lots",
        "2",
        "1",
    )


def test_a_quote_that_ends_before_the_order_is_open_on_that_day(tmp_path):
    told = judged(tmp_path, order={"date": "2027-01-04"})
    asked = told["choice"]["acceptance"]
    assert [(a["topic"], a["when"]) for a in asked] == [("cost", "before_order")]
    assert "2027-01-04" in asked[0]["text"]
    held = judged(tmp_path, order={"date": "2026-12-31"})
    assert "acceptance" not in held["choice"]


# --- What a purchasing officer reads on page one ---------------------------------------------------


def test_page_one_says_what_to_order_of_whom_for_how_much_and_by_when(report):
    (box,) = inside(report.opening, Box)
    told = words(box.closing).replace("\u00a0", " ")
    assert (
        "To order: RTX 6000 Ada Generation, 2 lots with 2 cards from Montclair Calcul (offer "
        "montclair-6000-ada), bought: 17 256.00 EUR CALC with tax (14 380.00 EUR CALC before tax); "
        "to be placed on 2026-12-07; the price holds until 2026-12-31."
    ) in told
    (told,) = callouts(report, "conditional")
    assert "Before the order of 2026-12-07" in told
    assert "At delivery, on 2026-12-21 at the earliest" in told


def test_what_the_buyer_recovers_stands_beside_what_is_invoiced():
    made = committee()
    who = made.outcomes[0]
    borne = replace(who, bill=replace(who.bill, payable=who.bill.before_tax))
    (box,) = inside(view(replace(made, outcomes=(borne, *made.outcomes[1:]))).opening, Box)
    told = words(box.closing).replace("\u00a0", " ")
    assert "before tax), 14 380.00 EUR CALC after what the buyer recovers; to be placed" in told


def test_nothing_is_to_be_ordered_where_the_choice_is_excluded_or_none():
    for name in ("one-h100", "none"):
        (box,) = inside(view(changed(chosen=name)).opening, Box)
        assert "To order" not in words(box.closing)


def test_page_one_says_by_how_much_the_others_fail(report):
    """Why not the others, in amounts and not in the words of the rule."""
    told = {row[0].split(",")[0]: row[-1] for row in rows(report, "candidates") if len(row) > 2}
    assert told["one-h100"].replace("\u00a0", " ") == (
        "budget: needs 28 900.00 EUR CALC, has 16 000.00 EUR STATED · quote-orion"
    )


def test_an_offer_in_the_comparison_is_told_on_its_tax_basis_and_whether_it_still_holds():
    told = section(view(committee()), "choice")
    assert "helix-a6000 (Helix Systemes) 8 960.00 EUR CALC before tax; " in told
    made = committee()
    old = replace(made, fiche=replace(made.fiche, date="2027-01-05"))
    told = section(view(old), "choice")
    assert "8 960.00 EUR CALC before tax, which held until 2026-12-31" in told
    assert "28 900.00 EUR CALC before tax, which" not in told


def test_an_excluded_choice_is_told_with_both_amounts():
    (told,) = callouts(view(changed(chosen="one-h100")), "excluded")
    assert "budget: needs 28 900.00 EUR CALC, has 16 000.00 EUR STATED" in told


def test_days_that_contradict_each_other_are_not_told_as_a_plan():
    """Ordered after the day that delivery was promised for: none is on record. Ordered before the decision."""
    order = replace(committee().fiche.choice.order, date="2027-02-07")
    (told,) = callouts(view(changed(order=order)), "conditional")
    assert "at the earliest" not in told
    early = changed(order=replace(order, date="2026-10-07"))
    assert "before the day of the decision" in section(view(early), "choice")
    assert "before the day of the decision" not in section(view(committee()), "choice")


def test_the_record_names_quote_and_delivery():
    told = section(view(committee()), "choice")
    assert "quote-montclair, 4471" in told
    assert "Delivery, earliest2026-12-21" in told


def test_a_piece_that_does_not_print_an_orders_amount_is_said_not_to():
    made = committee()
    first, *others = made.procedure.counted
    order = replace(first.order, amount=replace(first.order.amount, origin=Stated(span=None)))
    fiche = replace(made.fiche, similar_orders=(order, *made.fiche.similar_orders[1:]))
    counted = (replace(first, order=order), *others)
    made = replace(made, fiche=fiche, procedure=replace(made.procedure, counted=counted))
    assert "orders-2026 attests no such amount" in section(view(made), "procedure")
    assert "attests no such amount" not in section(view(committee()), "procedure")
