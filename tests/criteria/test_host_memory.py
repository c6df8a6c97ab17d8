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
    printing,
    requirement,
    says,
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


@pytest.mark.parametrize(
    ("counted", "limit", "expected"),
    [
        (130 * GIB, None, ADMISSIBLE),
        (128 * GIB, None, ADMISSIBLE),
        (125 * GIB, None, TO_CONFIRM),
        (256 * GIB, 64 * GIB, TO_CONFIRM),
        (None, 256 * GIB, TO_CONFIRM),
    ],
)
def test_what_the_machine_s_system_counts_admits_and_excludes_nothing(counted, limit, expected):
    """Firmware and kernel keep a part: 125 GiB are counted of 128 GiB installed."""
    told = {"host_memory_bytes": counted, "container.memory_limit_bytes": limit}
    seen = printing(**{path: str(value) for path, value in told.items() if value is not None})
    found = finding(RAM, [seen])
    assert found.verdict is expected
    assert verdict(RAM, [seen], candidate(machine="node-8")) is TO_CONFIRM
    if counted == 125 * GIB:
        assert topics(found) == {"host_memory"}
        assert says(found, f"print shows {125 * GIB} B, which may be less than is installed")


def test_a_seller_s_figure_settles_what_the_system_leaves_open():
    on = candidate(offer=offer())
    seen = printing(host_memory_bytes=str(125 * GIB))
    assert verdict(RAM, [seen, told(128, offer="offer-01")], on) is ADMISSIBLE
    short = finding(RAM, [seen, told(64, offer="offer-01")], on)
    assert short.verdict is EXCLUDE
    more = printing(host_memory_bytes=str(200 * GIB))
    assert finding(RAM, [more, told(64, offer="offer-01")], on).reason == "conflict"
