"""Pieces that ran out, grew old, or whose subject changed: to confirm, with the reason (A1, A2, D1, D3)."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    NEUTRAL,
    STRICT,
    TO_CONFIRM,
    attest,
    candidate,
    case,
    document,
    failing,
    finding,
    hours,
    memory,
    offer,
    piece,
    quality,
    quote,
    requirement,
    result,
    run,
    says,
    topics,
    total,
    typed,
    used,
    verdict,
    workload,
)
from evaluate.build import card as a_card

from fiche.kernel.fact import Fact
from fiche.kernel.record import replace
from fiche.kernel.unit import WATT

DATE = "2026-11-29"  # the decision's, in `evaluate.build`


def measured(id="run", **changes):
    """A record of the whole limit case, with the machine's own total."""
    seen = run(used(21 * 10**9), piece=id, facts=changes.pop("facts", {}))
    return piece(
        id, runs=[seen], totals=[total("24081 MiB", others=0)], machine="node-7", **changes
    )


def oom(id="oom", **changes):
    return piece(id, runs=[failing(piece=id)], **changes)


def aged(told, **changes):
    return replace(told, **changes)


def about(**told):
    return {path.replace("__", "."): typed(value) for path, value in told.items()}


def policy(base=NEUTRAL, **max_age):
    return replace(base, max_age=max_age)


# --- Until when it holds ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("until", "expected"), [(DATE, ADMISSIBLE), ("2026-11-28", TO_CONFIRM), ("", ADMISSIBLE)]
)
def test_the_last_day_of_a_piece_counts_and_the_next_one_does_not(until, expected):
    assert verdict(memory(), [aged(measured(), valid_until=until)]) is expected


def test_a_verdict_that_leans_on_what_ran_out_says_so():
    found = finding(memory(), [aged(measured(), valid_until="2026-10-31")])
    assert (found.verdict, found.reason) == (TO_CONFIRM, "stale")
    assert found.text == (
        "what it leans on is out of date: run: valid until 2026-10-31, and the decision is of 2026-11-29"
    )
    assert found.pieces == ("run",)
    assert "stale" in topics(found)
    assert says(found, "renew run, or show that it still holds")
    assert "need" in topics(found), "a new run is asked for as well"


def test_an_expired_failure_stays_an_observation_and_excludes_nothing():
    """C11: it is shown; only a failure that still holds prevents the workload (D1)."""
    log = oom()
    assert verdict(memory(), [log, total_of()]) is EXCLUDE
    found = finding(memory(), [aged(log, valid_until="2026-10-31"), total_of()])
    assert (found.verdict, found.reason) == (TO_CONFIRM, "stale")
    assert "oom" in found.pieces


def total_of():
    return piece("shown", totals=[total("24081 MiB", others=0)], machine="node-7")


def test_out_of_a_conflict_with_a_stale_piece_the_other_one_decides():
    """A failure of last spring and a success of today are no contradiction of today."""
    old = oom()
    assert finding(memory(), [old, measured()]).reason == "conflict"
    found = finding(memory(), [aged(old, valid_until="2026-03-31"), measured()])
    assert found.verdict is ADMISSIBLE
    assert "left aside: oom: valid until 2026-03-31" in found.text


def test_a_stale_piece_beside_one_that_settles_it_is_not_mentioned():
    again = aged(measured("again"), valid_until="2026-03-31")
    found = finding(memory(), [measured("a-run"), again])
    assert (found.verdict, found.pieces) == (ADMISSIBLE, ("a-run",))


def test_what_is_open_anyway_keeps_its_own_reasons():
    other = measured(facts={"attention": "eager"})
    found = finding(memory(), [aged(other, valid_until="2026-10-31")])
    assert (found.verdict, found.reason) == (TO_CONFIRM, "open")
    assert says(found, "attention: the question says flash, the piece eager")


# --- Age ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "expected"),
    [("2026-11-19", ADMISSIBLE), ("2026-11-18", TO_CONFIRM), ("", TO_CONFIRM)],
)
def test_a_policy_says_how_old_a_kind_of_piece_may_be(made, expected):
    """A date that nobody tells is an age that nobody tells: missing is to confirm."""
    asked = policy(record=10)
    assert verdict(memory(), [measured(date=made)], policy=asked) is expected
    assert verdict(memory(), [measured(date=made)], policy=policy(quote=10)) is ADMISSIBLE
    assert verdict(memory(), [measured(date=made)], policy=policy(others=10)) is expected
    assert verdict(memory(), [measured(date=made)]) is ADMISSIBLE, "neutral: no age is too old"


def test_the_reason_names_age_date_and_policy():
    found = finding(memory(), [measured(date="2026-03-01")], policy=policy(record=180))
    assert found.text.endswith(
        "run: it is of 2026-03-01, 273 days before the decision of 2026-11-29: policy 'neutral' lets a "
        "record count for 180 days"
    )


def test_the_day_that_a_file_prints_makes_a_typed_one_no_younger():
    told = measured(date=DATE)
    printed = replace(
        told.reading,
        facts={**told.reading.facts, "measured_on": Fact(value="2026-01-05", address=told.span)},
    )
    assert (
        verdict(memory(), [replace(told, reading=printed)], policy=policy(record=180)) is TO_CONFIRM
    )


def test_a_document_that_says_until_when_it_holds_has_no_age():
    terms = (
        attest("delivery", earliest="2026-12-10"),
        attest("validity", until="2026-12-31"),
    )
    asked = requirement("delivery", by="2026-12-15")
    on = candidate(offer=offer())
    told = document("quote", *terms, offer="offer-01", date="2026-01-02")
    assert verdict(asked, [told], on, policy=policy(quote=30)) is ADMISSIBLE
    bare = document("quote", terms[0], offer="offer-01", date="2026-01-02")
    assert verdict(asked, [bare], on, policy=policy(quote=30)) is TO_CONFIRM


def test_the_strict_policy_states_ages():
    assert STRICT.max_age == {"quote": 90, "catalog": 365, "others": 365}
    assert not NEUTRAL.max_age
    assert not NEUTRAL.changed


# --- Documents and prices -----------------------------------------------------------------------


def test_an_expired_document_attests_no_delivery():
    """D3: what a seller promised until October is no promise in November."""
    asked, on = requirement("delivery", by="2026-12-15"), candidate(offer=offer())
    told = document(
        "quote",
        attest("delivery", earliest="2026-12-10"),
        attest("validity", until="2026-10-31"),
        offer="offer-01",
    )
    found = finding(asked, [told], on)
    assert (found.verdict, found.reason) == (TO_CONFIRM, "stale")
    assert says(found, "its document holds until 2026-10-31")


def test_an_expired_price_is_the_cost_criterion_s_own_business():
    asked = requirement("cost", at_most=quote().attested[0].terms["amount"], tax="excluded")
    on = candidate(offer=offer(quote="quote", valid_until="2026-10-31"))
    told = quote("47.14 USD", attest("validity", until="2026-10-31"), per="72 h")
    found = finding(asked, [told], on)
    assert found.verdict is TO_CONFIRM
    assert says(found, "renew offer-01: it does not hold on 2026-11-29")
    assert hours("72 h").low == 72


def test_a_quote_piece_that_ran_out_admits_no_cost():
    asked = requirement("cost", at_most=quote("60 USD").attested[0].terms["amount"], tax="excluded")
    on = candidate(offer=offer(), load=workload(duration="72 h"))
    told = quote("47.14 USD", attest("validity", until="2026-12-31"), per="72 h")
    assert verdict(asked, [told], on) is ADMISSIBLE
    found = finding(asked, [aged(told, valid_until="2026-11-01")], on)
    assert (found.verdict, found.reason) == (TO_CONFIRM, "stale")
    assert says(found, "renew quote")


# --- Its subject changed ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ("model__revision", {"model__revision": "1f2e3d4c"}),
        ("engine__version", {"engine__version": "0.29.0"}),
        ("driver", {"driver": "590.10"}),
        ("framework__version", {"framework__version": "2.12.0"}),
    ],
)
def test_what_the_piece_hung_on_and_has_changed_makes_it_stale(then, now):
    """A1, A5: named with both values and the day since when; whatever the policy notes or asks."""
    ((path, value),) = now.items()
    load = workload(**now)
    told = result(load=load, date="2026-08-01")
    assert verdict(quality(), [told], candidate(load=load), base=load) is ADMISSIBLE
    hung = aged(told, about=about(**{then: "before"}))
    found = finding(quality(), [hung], candidate(load=load), base=load)
    assert (found.verdict, found.reason) == (TO_CONFIRM, "stale")
    assert says(
        found,
        f"{path.replace('__', '.')} changed from before to {value} since 2026-08-01, the day of the piece",
    )


def test_what_the_fiche_does_not_state_did_not_change():
    told = aged(result(), about=about(driver="570.1"))
    assert verdict(quality(), [told]) is ADMISSIBLE


def test_a_policy_may_list_facts_whose_change_is_no_mere_note():
    load = workload(driver="590.10")
    told = measured(facts={"driver": "580.65"})
    on = candidate(load=load)
    assert verdict(memory(), [told], on, base=load) is ADMISSIBLE
    strict = replace(NEUTRAL, changed={"memory": ("driver",)})
    found = finding(memory(), [told], on, base=load, policy=strict)
    assert (found.verdict, found.reason) == (TO_CONFIRM, "stale")
    assert says(found, "driver changed from 580.65 to 590.10")


def test_a_typed_case_that_was_written_anew_covers_nothing():
    """A2: `case: limit` attests the case as it was; where its dimensions moved, the piece is of another one."""
    longer = case("limit", prompt_tokens=9000, new_tokens=292, resident_sequences=4)
    load = workload([longer])
    told = document("r", *result().attested, kind="result", case="limit")
    on = candidate(load=load)
    assert verdict(quality(), [told], on, base=load) is ADMISSIBLE
    sizes = {name: figure for name, figure in case().dimensions.items() if name == "prompt_tokens"}
    hung = aged(told, about=about(case="limit"), about_dimensions=sizes)
    found = finding(quality(), [hung], on, base=load)
    assert found.verdict is TO_CONFIRM
    assert says(found, "prompt_tokens of case limit changed from 7900 to 9000 since 2026-11-29")


# --- The catalog --------------------------------------------------------------------------------


def powered(gathered):
    on = candidate()
    card = replace(on.card, gathered=gathered, figures={**on.card.figures, "power": watts(300)})
    return replace(on, card=card)


def watts(amount):
    return replace(
        candidate().card.figures["nominal"], low=amount, high=amount, unit=WATT, id="power"
    )


@pytest.mark.parametrize(
    ("gathered", "expected"),
    [("2026-11-01", ADMISSIBLE), ("2025-01-01", TO_CONFIRM), ("", TO_CONFIRM)],
)
def test_old_catalog_facts_settle_nothing_under_a_policy_that_says_so(gathered, expected):
    asked = requirement("power", at_most=watts(350))
    on = powered(gathered)
    assert verdict(asked, [], on) is ADMISSIBLE
    found = finding(asked, [], on, policy=policy(catalog=365))
    assert found.verdict is expected
    if expected is TO_CONFIRM:
        assert says(found, "renew the catalog's facts")


@pytest.mark.parametrize(
    ("kind", "row", "terms"),
    [
        ("compute_capability", {"compute_capability": "8.9"}, {"at_least": "8.0"}),
        ("form_factor", {"form_factor": "OAM"}, {"one_of": ["OAM"]}),
        ("ecc", {"ecc": "no"}, {"state": "off"}),
    ],
)
def test_old_words_of_the_catalog_settle_nothing_either(kind, row, terms):
    """They stay where they tell cards apart; here they would decide."""
    asked = requirement(kind, **terms)
    on = candidate(card=replace(a_card(**row), gathered="2025-01-01"))
    assert verdict(asked, [], on) is ADMISSIBLE
    found = finding(asked, [], on, policy=policy(catalog=365))
    assert (found.verdict, found.reason) == (TO_CONFIRM, "stale")
    assert says(found, "renew the catalog's facts")
    new = candidate(card=replace(a_card(**row), gathered="2026-11-01"))
    assert verdict(asked, [], new, policy=policy(catalog=365)) is ADMISSIBLE


def test_a_piece_of_an_older_catalog_is_stale():
    told = aged(result(), about=about(catalog="2026-05-01"))
    found = finding(quality(), [told])
    assert found.verdict is TO_CONFIRM
    assert says(found, "changed from those of 2026-05-01 to those of 2026-11-29")
    assert verdict(quality(), [aged(result(), about=about(catalog=DATE))]) is ADMISSIBLE


def test_a_strict_fact_that_is_another_now_is_told_with_its_day():
    """A1, A5: an engine of August does not answer for the one of today, `about` or not."""
    told = result(date="2026-08-12", engine__name="sglang")
    found = finding(quality(), [told])
    assert says(found, "engine.name: the question says vllm, the piece sglang on 2026-08-12")
