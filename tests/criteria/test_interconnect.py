"""Interconnect: the attested link of the machine as delivered, not of the card's sheet (D3)."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    GPU,
    MACHINE,
    TO_CONFIRM,
    attest,
    candidate,
    declared,
    document,
    finding,
    offer,
    requirement,
    stated,
    topics,
    verdict,
)

from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE_PER_SECOND

NVLINK = requirement("interconnect", link="NVLink")
RATE = requirement("interconnect", link="NVLink", at_least=stated(600 * 10**9, BYTE_PER_SECOND))


def linked(link, rate=None, id="quote", **scope):
    terms = {} if rate is None else {"value": declared(rate * 10**9, BYTE_PER_SECOND)}
    told = attest("interconnect", id=id, link=link, **terms)
    return document(id, told, **(scope or {"offer": "offer-01"}))


def on():
    return candidate(offer=offer())


def test_an_attested_link_confirms():
    assert verdict(NVLINK, [linked("NVLink")], on()) is ADMISSIBLE
    assert verdict(NVLINK, [linked("nvlink")], on()) is ADMISSIBLE


def test_a_document_of_another_link_refuses_nothing():
    """Every machine has PCIe; that says nothing of a bridge."""
    found = finding(NVLINK, [linked("PCIe 4.0")], on())
    assert found.verdict is TO_CONFIRM
    assert topics(found) == {"interconnect"}
    assert verdict(NVLINK, [linked("PCIe 4.0"), linked("NVLink", id="b")], on()) is ADMISSIBLE


def test_a_card_s_sheet_leaves_it_to_confirm():
    assert verdict(NVLINK, [linked("NVLink", gpu=GPU)], on()) is TO_CONFIRM
    assert verdict(NVLINK, [], on()) is TO_CONFIRM


@pytest.mark.parametrize(("rate", "expected"), [(600, ADMISSIBLE), (599, EXCLUDE)])
def test_a_rate_is_compared(rate, expected):
    assert verdict(RATE, [linked("NVLink", rate)], on()) is expected


def test_a_link_without_a_rate_and_a_rate_of_another_link_settle_no_rate():
    assert verdict(RATE, [linked("NVLink")], on()) is TO_CONFIRM
    assert verdict(RATE, [linked("PCIe 5.0", 64)], on()) is TO_CONFIRM
    assert finding(RATE, [], on()).conditions[0].threshold == ">= 600000000000 B/s"


def test_the_machine_s_own_document_speaks_of_it():

    from evaluate.build import typed

    own = linked("NVLink")
    mine = replace(own, typed={"machine": typed(MACHINE)})
    assert verdict(NVLINK, [mine], candidate()) is ADMISSIBLE
    assert verdict(NVLINK, [mine], candidate(machine="node-8")) is TO_CONFIRM
