"""Disk: a document of the offer or the machine; a card says nothing of the server (D3)."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
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
    says,
    topics,
    typed,
    verdict,
)

from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE

ANY = requirement("disk", at_least=bytes_of("2 TB"))
NVME = requirement("disk", at_least=bytes_of("2 TB"), type="NVMe")
ON = candidate(offer=offer())


def told(terabytes, type=None, id="quote", **scope):
    words = {} if type is None else {"type": type}
    item = attest("disk", id=id, value=declared(terabytes * 10**12, BYTE), **words)
    typed_by = {key: typed(value) for key, value in (scope or {"offer": "offer-01"}).items()}
    return replace(document(id, item), typed=typed_by)


@pytest.mark.parametrize(("terabytes", "expected"), [(1, EXCLUDE), (2, ADMISSIBLE)])
@pytest.mark.parametrize("scope", [{"offer": "offer-01"}, {"machine": MACHINE}])
def test_what_is_attested_of_the_machine_settles_it(terabytes, expected, scope):
    assert verdict(ANY, [told(terabytes, **scope)], ON) is expected


def test_a_disk_of_another_kind_says_nothing():
    """A machine has several; one that nobody names may be any of them."""
    for other in (told(4, "SATA"), told(4), told(1, "SATA")):
        found = finding(NVME, [other], ON)
        assert (found.verdict, topics(found)) == (TO_CONFIRM, {"disk"})
    assert verdict(NVME, [told(4, "nvme")], ON) is ADMISSIBLE
    assert verdict(NVME, [told(4, "SATA"), told(1, "NVMe", id="b")], ON) is EXCLUDE


def test_a_card_s_sheet_leaves_it_to_confirm():
    for paper in (told(4, gpu=GPU), told(4, offer="offer-02"), told(4, machine="node-8")):
        assert verdict(ANY, [paper], ON) is TO_CONFIRM


def test_the_condition_says_what_is_lacking():
    found = finding(NVME, [], ON)
    assert says(found, "attest the NVMe disk of the machine")
    assert found.conditions[0].threshold == f">= {2 * 10**12} B"


def test_several_disks_of_one_document_contradict_nothing():
    one = told(4, "NVMe")
    listed = replace(one, attested=(*one.attested, *told(1, "SATA").attested))
    assert verdict(ANY, [listed], ON) is ADMISSIBLE
    small = replace(one, attested=(*told(1, "NVMe").attested, *told(1, "SATA").attested))
    assert verdict(ANY, [small], ON) is EXCLUDE


def test_two_documents_that_disagree_are_a_conflict():
    found = finding(ANY, [told(4), told(1, id="b")], ON)
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")
