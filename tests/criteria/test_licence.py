"""Licence: a clause about a use, in terms that are named; a consumer card's driver is a known trap."""

from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    TO_CONFIRM,
    attest,
    candidate,
    card,
    document,
    finding,
    offer,
    requirement,
    says,
    topics,
    verdict,
)

from fiche.kernel.record import replace

DRIVER = "NVIDIA GeForce driver"
ASKED = requirement("licence", use="datacentre", of=DRIVER)


def clause(answer, id="terms", use="datacentre", of=DRIVER, **scope):
    return document(
        id, attest("licence", id=id, use=use, of=of, answer=answer), kind="document", **scope
    )


def test_a_clause_permits_or_forbids():
    assert verdict(ASKED, [clause("permitted")]) is ADMISSIBLE
    found = finding(ASKED, [clause("forbidden")])
    assert (found.verdict, found.have_words) == (
        EXCLUDE,
        "NVIDIA GeForce driver: datacentre use forbidden",
    )


def test_another_use_another_thing_or_another_card_says_nothing():
    pieces = [
        clause("permitted", use="commercial"),
        clause("permitted", "other", of="NVIDIA data center driver"),
        clause("permitted", "else", gpu="nvidia-l4-24g"),
    ]
    found = finding(ASKED, pieces)
    assert (found.verdict, topics(found)) == (TO_CONFIRM, {"licence"})


def test_two_clauses_that_differ_are_a_conflict():
    found = finding(ASKED, [clause("permitted"), clause("forbidden", "annex")])
    assert found.reason == "conflict"


def test_a_consumer_card_in_a_datacentre_is_told_as_a_trap():
    """Catalog 6: GeForce driver terms on datacentre use are left out most."""
    known = replace(card(), name="GeForce RTX 4090")
    found = finding(ASKED, [], candidate(card=known, offer=offer()))
    assert says(found, "GeForce RTX 4090 is a consumer card")
    assert not says(finding(ASKED, []), "consumer card")
