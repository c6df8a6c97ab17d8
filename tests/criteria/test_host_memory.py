"""Host memory: a document of the offer or machine; a card says nothing of the server (D3)."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    GIB,
    GPU,
    MACHINE,
    TO_CONFIRM,
    attest,
    bytes_of,
    candidate,
    declared,
    document,
    finding,
    offer,
    requirement,
    topics,
    typed,
    verdict,
)

from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE

RAM = requirement("host_memory", at_least=bytes_of("128 GiB"))


def told(gib, id="quote", **scope):
    made = document(id, attest("host_memory", id=id, value=declared(gib * GIB, BYTE)))
    return replace(made, typed={key: typed(value) for key, value in scope.items()})


@pytest.mark.parametrize(
    ("gib", "expected"), [(127, EXCLUDE), (128, ADMISSIBLE), (256, ADMISSIBLE)]
)
@pytest.mark.parametrize("scope", [{"offer": "offer-01"}, {"machine": MACHINE}])
def test_what_the_seller_attests_settles_it(gib, expected, scope):
    assert verdict(RAM, [told(gib, **scope)], candidate(offer=offer())) is expected


def test_a_card_s_sheet_leaves_it_to_confirm():
    """A precise amount of RAM is a criterion that a GPU sheet alone leaves to confirm."""
    for sheet in ([], [told(256, gpu=GPU)], [told(64, gpu=GPU)], [told(256)]):
        found = finding(RAM, sheet, candidate(offer=offer(host_memory="256 GiB")))
        assert found.verdict is TO_CONFIRM
        assert topics(found) == {"host_memory"}
        assert found.conditions[0].threshold == f">= {128 * GIB} B"


def test_another_machine_s_or_offer_s_document_says_nothing():
    on = candidate(offer=offer())
    assert verdict(RAM, [told(256, machine="node-8")], on) is TO_CONFIRM
    assert verdict(RAM, [told(256, offer="offer-02")], on) is TO_CONFIRM
    assert verdict(RAM, [told(256, offer="offer-01", machine="node-8")], on) is TO_CONFIRM


def test_decimal_gigabytes_are_fewer():
    """B1: 128 GB is not 128 GiB."""
    short = document(
        "quote", attest("host_memory", value=declared(128 * 10**9, BYTE)), offer="offer-01"
    )
    assert verdict(RAM, [short], candidate(offer=offer())) is EXCLUDE
