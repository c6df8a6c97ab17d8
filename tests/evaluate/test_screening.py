"""A market against a fiche (D1, D2, D9): what screening says is what a decision says, asked far less often."""

import random

import pytest
from evaluate.markets import (
    CARDS,
    CHOICES,
    NAMED,
    all_doors,
    candidate_of,
    lookup,
    market_of,
    plain,
    rows,
    sample,
)

from fiche.evaluate.decide import completed, judged_fiche, standing
from fiche.evaluate.findings import judged
from fiche.evaluate.screening import UNRESOLVED, screen
from fiche.kernel.finding import Verdict
from fiche.kernel.record import replace

STATUS = ("retained", "to_confirm", "excluded")


def screened(told):
    return screen(sample(), all_doors(), market_of(told), plain(), lookup())


def decided(told, card=None):
    """What a decision says of a row: its status, and the worst verdict of each requirement."""
    fiche = replace(
        sample(), candidates=(candidate_of(told, card),), choice=None, plans=(), efforts=()
    )
    (outcome,) = judged_fiche(fiche, all_doors(), "test").outcomes
    worst = {}
    for finding in outcome.findings:
        worst[finding.requirement] = max(worst.get(finding.requirement, 0), finding.verdict)
    return outcome.status, worst


def said(found, group):
    return {
        one.requirement.id: one.answers[code].verdict
        for one, code in zip(found.judged, group, strict=True)
    }


def test_every_offer_is_judged_as_a_decision_judges_it():
    told = rows(60)
    found = screened(told)
    for row, group in zip(told, found.rows(), strict=True):
        if "could_be" in row:
            continue
        status, worst = decided(row)
        assert (row["id"], said(found, group)) == (row["id"], worst)
        assert STATUS[found.verdict(group)] == status, row


def test_a_name_of_several_cards_is_excluded_only_where_each_of_them_is():
    told = [row for row in rows(150, seed=3) if "could_be" in row]
    found = screened(told)
    for row, group in zip(told, found.rows(), strict=True):
        each = [decided(row, card)[1] for card in row["could_be"].split()]
        for name, verdict in said(found, group).items():
            verdicts = {one[name] for one in each}
            assert (verdict is Verdict.EXCLUDE) == (verdicts == {Verdict.EXCLUDE}), name


def test_counts_add_up_in_every_view():
    told = rows(300)
    found = screened(told)
    assert sum(found.groups.values()) == found.total == 300
    assert all(len(one.codes) == 300 for one in found.judged)


def test_criteria_are_asked_far_less_often_than_there_are_offers():
    told = [{**row, "machine": f"vast-{at}"} for at, row in enumerate(rows(1500, seed=5))]
    found = screened(told)
    asked = {one.requirement.id: one.asked for one in found.judged}
    assert found.bench.alone == set(range(len(NAMED)))
    assert asked["memory"] < 60
    assert asked["main-memory"] < 20


def shown(requirement, row, card=None):
    """A comparison as far as a reader sees it, with the offer's id taken out of it."""
    ground, _, _ = standing(sample(), all_doors())
    criterion = next(c for c in all_doors().criteria if c.name == requirement.kind)
    findings = judged(criterion, requirement, candidate_of(row, card), ground)
    return [
        (
            f.verdict,
            f.reason,
            f.need_words,
            f.have_words,
            [(c.topic, c.text.replace(row["id"], "ID")) for c in f.conditions],
            f.pieces,
        )
        for f in findings
    ]


def test_what_was_not_looked_at_changes_nothing():
    """Perturbing any path that no call of a criterion looked at never changes its comparison."""
    told = rows(300, seed=7)
    found = screened(told)
    chance = random.Random(8)
    for one in found.judged:
        others = [path for path in CHOICES if path not in one.paths and path != "kind"]
        for row in chance.sample(told[len(NAMED) :], 3):
            if "could_be" in row or row["kind"] == "buy":
                continue
            before = shown(one.requirement, row)
            for path in others:
                changed = {**row, path: chance.choice(CHOICES[path][1:])}
                changed.pop("declared_memory.value", None) if path == "gpu" else None
                assert shown(one.requirement, changed) == before, (one.requirement.id, path)


def test_a_row_that_a_piece_names_is_judged_alone():
    """The quote of northlab-4090 admits nothing of another offer with the same words."""
    told = rows(40)
    named = {
        **told[0],
        "price.amount": "109.99 USD",
        "price.per": "168 h",
        "machine": "northlab-g07",
    }
    twin = {**named, "id": "twin", "machine": ""}
    found = screened([named, twin, *told[2:]])
    first, second = list(found.rows())[:2]
    assert said(found, first) == decided(named)[1]
    assert said(found, second) == decided(twin)[1]
    assert said(found, first) != said(found, second)


@pytest.mark.parametrize("kind", ["cost", "capacity", "power", "memory"])
def test_a_lower_price_never_worsens(kind):
    """The law that breakpoints rest on, held against every criterion that looks at a price or may."""
    told = [
        row
        for row in rows(40, seed=11)
        if row["price.amount"].endswith("USD") and "could_be" not in row
    ]
    for requirement in completed(sample().requirements):
        if requirement.kind != kind:
            continue
        for row in told:
            dear, cheap = (
                max(v for v, *_ in shown(requirement, {**row, "price.amount": price}))
                for price in ("39.00 USD", "0.40 USD")
            )
            assert cheap <= dear


def test_an_unknown_card_is_to_confirm_and_not_refused():
    told = [{**row, "gpu": CARDS[-1]} for row in rows(20, seed=13)[len(NAMED) :]]
    for row in told:
        row.pop("could_be", None)
    found = screened(told)
    memory = next(one for one in found.judged if one.requirement.kind == "memory")
    assert {answer.verdict for answer in memory.answers} == {Verdict.TO_CONFIRM}


def test_an_unresolved_name_says_so():
    row = {**rows(3)[2], "gpu": "V100", "could_be": "nvidia-v100-pcie-16g nvidia-v100-sxm2-32g"}
    found = screened([row])
    reasons = {
        reason for one in found.judged for answer in one.answers for reason in answer.reasons
    }
    assert reasons & {UNRESOLVED, "open"}
