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
    printing,
    requirement,
    says,
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


def test_a_slow_link_is_no_lack_of_a_faster_one_where_none_is_named():
    """D1: every machine has PCIe; its rate proves nothing of the others."""
    any_link = requirement("interconnect", at_least=RATE.figures["at_least"])
    slow = finding(any_link, [linked("PCIe 4.0", 32)], on())
    assert (slow.verdict, says(slow, "of one link; name the link")) == (TO_CONFIRM, True)
    both = attest("interconnect", link="NVLink", value=declared(600 * 10**9, BYTE_PER_SECOND))
    listed = linked("PCIe 4.0", 32)
    listed = replace(listed, attested=(*listed.attested, both))
    assert verdict(any_link, [listed], on()) is ADMISSIBLE
    pieces = [linked("PCIe 4.0", 32), linked("NVLink", 600, id="b")]
    assert verdict(any_link, pieces, on()) is ADMISSIBLE


def test_the_machine_s_own_document_speaks_of_it():

    from evaluate.build import typed

    own = linked("NVLink")
    mine = replace(own, typed={"machine": typed(MACHINE)})
    assert verdict(NVLINK, [mine], candidate()) is ADMISSIBLE
    assert verdict(NVLINK, [mine], candidate(machine="node-8")) is TO_CONFIRM


# --- Between which devices, in which directions -------------------------------------------------


def among(between, **changes):
    return requirement("interconnect", link="NVLink", between=between, **changes)


def paired(between, id="quote", **words):
    told = {} if between is None else {"between": between}
    rate = declared(600 * 10**9, BYTE_PER_SECOND)
    item = attest("interconnect", id=id, link="NVLink", value=rate, **told, **words)
    return document(id, item, offer="offer-01")


def topology(**ways):
    facts = {
        f"links__{pair.removeprefix('p').replace('_', '-')}": way for pair, way in ways.items()
    }
    shared = {way.startswith("NV") for way in ways.values()}
    if len(shared) == 1:
        facts["interconnect"] = "NVLink" if shared.pop() else "PCIe"
    return printing(**facts)


@pytest.mark.parametrize(
    ("asked", "told", "expected"),
    [
        ("0-1", "0-1", ADMISSIBLE),
        ("1-0", "0-1", ADMISSIBLE),
        ("0-1", "0-1, 2-3", ADMISSIBLE),
        ("0-1, 2-3", "all", ADMISSIBLE),
        ("all", "all", ADMISSIBLE),
        ("1-2", "0-1, 2-3", TO_CONFIRM),
        ("all", "0-1, 2-3", TO_CONFIRM),
        ("0-1", None, TO_CONFIRM),
    ],
)
def test_a_document_speaks_of_the_devices_that_it_names(asked, told, expected):
    """A bridge joins two cards of four."""
    assert verdict(among(asked), [paired(told)], on()) is expected
    rate = stated(600 * 10**9, BYTE_PER_SECOND)
    assert verdict(among(asked, at_least=rate), [paired(told)], on()) is expected


@pytest.mark.parametrize(
    ("asked", "expected"),
    [("0-1", ADMISSIBLE), ("1-2", EXCLUDE), ("all", EXCLUDE), ("0-3", TO_CONFIRM)],
)
def test_the_machine_s_topology_tells_pair_by_pair(asked, expected):
    seen = topology(p0_1="NV4", p1_2="SYS", p0_2="SYS")
    assert verdict(among(asked), [seen], on()) is expected
    assert verdict(among(asked), [seen], candidate(machine="node-8")) is TO_CONFIRM


def test_a_topology_of_another_link_of_all_pairs_refuses_nothing_where_no_pair_is_named():
    assert verdict(NVLINK, [topology(p0_1="SYS")], on()) is TO_CONFIRM
    assert verdict(NVLINK, [topology(p0_1="NV12")], on()) is ADMISSIBLE
    assert verdict(among("0-1"), [topology(p0_1="NV12")], on()) is ADMISSIBLE


def test_a_topology_prints_no_rate():
    assert verdict(RATE, [topology(p0_1="NV12")], on()) is TO_CONFIRM


def test_rates_of_one_and_of_both_directions_do_not_compare():
    """Secondary pages give 112.5 and 600 GB/s for one bridge (catalog.md 8)."""
    rate = stated(600 * 10**9, BYTE_PER_SECOND)
    each = requirement("interconnect", link="NVLink", at_least=rate, directions="each")
    assert verdict(each, [paired(None, directions="each")], on()) is ADMISSIBLE
    for other in (paired(None), paired(None, directions="both")):
        found = finding(each, [other], on())
        assert found.verdict is TO_CONFIRM
        assert found.conditions[0].threshold == ">= 600000000000 B/s (each directions)"
