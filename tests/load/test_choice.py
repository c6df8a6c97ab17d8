"""The record of a choice from YAML: every key is optional, what is named must be there (E1, catalog 7)."""

import hashlib
from fractions import Fraction

from loading import fiche_of, refusals

LIST = b"Price list 2026: 60.00 USD a lot\n"
OLD = b'{"format":"fiche-decision/1"}\n'
FILES = {"list.txt": LIST, "old.json": OLD, "offers.yaml": ""}
PIECES = """pieces:
  - id: listed
    file: list.txt
    kind: document
    attests: [{fact: price, amount: 60.00 USD, quote: "60.00 USD a lot"}]
  - {id: old, file: old.json, kind: document}
"""
OFFERS = """offers: 1
list:
  - {id: one, seller: A, kind: rent, gpu: nvidia-rtx-4090-24g, price: {amount: 47 USD, per: 72 h}}
  - {id: two, seller: B, kind: rent, gpu: nvidia-rtx-4090-24g, price: {amount: 50 USD, per: 72 h}}
"""
FILES["offers.yaml"] = OFFERS
BARE = "decision: {chosen: a, by: M. Laurent, because: it runs"
CATALOGS = "catalogs: [offers.yaml]\n"


def choice_of(more="}"):
    return fiche_of(CATALOGS, PIECES, f"{BARE}{more}\n", files=FILES).choice


def refused(more):
    return [code for code, _, _ in refusals(CATALOGS, PIECES, f"{BARE}{more}\n", files=FILES)]


def test_four_words_are_a_choice_and_the_rest_is_empty():
    made = choice_of()
    assert (made.chosen, made.by, made.role, made.because) == ("a", "M. Laurent", "", "it runs")
    assert (made.date, made.budget_holder, made.order, made.price) == ("", "", None, None)
    assert (made.opinions, made.interests, made.signatures, made.accept) == ((), (), (), ())


def test_a_fiche_without_a_decision_has_no_choice():
    assert fiche_of().choice is None


def test_people_and_what_they_say():
    made = choice_of(
        """,
  role: head, date: 2026-11-29, budget_holder: S. Demir,
  opinions: [{by: L. Costa, role: engineer, says: wait, reservation: true}, {by: J. Okafor, says: fine}],
  interests: [{by: L. Costa, statement: none}],
  signatures: [{name: S. Demir, role: budget holder}, {role: purchasing office}],
  accept: [{topic: need, when: at_delivery, by: L. Costa, test: run it}]}"""
    )
    assert [(o.by, o.role, o.reservation) for o in made.opinions] == [
        ("L. Costa", "engineer", True),
        ("J. Okafor", "", None),
    ]
    assert (made.interests[0].by, made.interests[0].statement) == ("L. Costa", "none")
    assert [(s.name, s.role) for s in made.signatures][1] == ("", "purchasing office")
    assert (made.accept[0].when, made.accept[0].test) == ("at_delivery", "run it")
    assert made.opinions[0].span.line > 0


def test_the_order_is_a_day_and_counts():
    order = choice_of(", order: {date: 2026-12-07, lots: 2, number: C-1}}").order
    assert (order.date, order.lots.low, order.cards, order.number) == ("2026-12-07", 2, None, "C-1")
    assert refused(", order: {date: 7 December}}") == ["F207"]
    assert refused(", order: {lots: 0}}") == ["F305"]


def test_an_order_of_nothing_is_refused():
    text = "decision: {chosen: none, by: A, because: b, order: {lots: 1}}\n"
    assert [code for code, _, _ in refusals(text)] == ["F398"]


def test_the_list_price_is_what_its_piece_attests():
    price = choice_of(", price: {list_price: listed}}").price
    assert (price.ground, price.piece) == ("list_price", "listed")
    assert (price.listed.low, price.listed.origin.printed) == (Fraction(60), "60.00 USD a lot")
    assert choice_of(", price: {list_price: old}}").price.listed is None


def test_a_price_has_one_ground_and_what_it_names_is_there():
    assert choice_of(", price: {comparison: [one, two]}}").price.offers == ("one", "two")
    assert refused(", price: {comparison: [one, three]}}") == ["F307"]
    assert refused(", price: {statement: listed, list_price: listed}}") == ["F395"]
    assert refused(", price: {because: it is low}}") == ["F395"]
    assert refused(", price: {statement: nowhere}}") == ["F307"]


def test_the_decision_that_is_replaced_is_named_by_the_digest_of_its_file():
    digest = hashlib.sha256(OLD).hexdigest()
    assert choice_of(", replaces: {what: the old one, piece: old}}").replaces.digest == digest
    told = choice_of(f", replaces: {{what: the old one, piece: old, digest: 'sha256:{digest}'}}}}")
    assert told.replaces.digest == digest
    elsewhere = choice_of(f", replaces: {{what: another, digest: '{'0' * 64}'}}}}").replaces
    assert (elsewhere.piece, elsewhere.digest) == ("", "0" * 64)
    assert refused(f", replaces: {{what: x, piece: old, digest: '{'0' * 64}'}}}}") == ["F396"]
    assert refused(", replaces: {what: x, piece: nowhere}}") == ["F307"]


def test_one_topic_is_accepted_once():
    assert refused(", accept: [{topic: need}, {topic: need}]}") == ["F306"]


# --- Similar orders -------------------------------------------------------------------------------


def orders_of(text):
    return fiche_of(PIECES, f"similar_orders:\n  - {text}\n", files=FILES).similar_orders


def test_a_similar_order_keeps_what_it_says_and_no_more():
    (order,) = orders_of("{id: x}")
    assert (order.amount, order.date, order.tax, order.what, order.piece) == (None, "", "", "", "")
    (order,) = orders_of("{id: x, amount: 12.50 EUR, tax: excluded, for: disks, date: 2026-01-02}")
    assert (order.amount.low, str(order.amount.unit), order.what) == (
        Fraction("12.5"),
        "EUR",
        "disks",
    )
    assert order.amount.id == "similar_orders.x.amount"


def test_an_amount_is_declared_only_where_its_piece_attests_that_very_amount():
    """Law 1: stated by the fiche, or declared by a document."""
    (order,) = orders_of("{id: x, amount: 60 USD, piece: listed}")
    assert order.amount.origin.printed == "60.00 USD a lot"
    for text in ("{id: x, amount: 61 USD, piece: listed}", "{id: x, amount: 60 USD}"):
        (order,) = orders_of(text)
        assert type(order.amount.origin).__name__ == "Stated"


def test_a_similar_order_names_a_piece_that_is_there_and_is_named_once():
    head = "similar_orders:\n"
    assert [c for c, _, _ in refusals(f"{head}  - {{id: x, piece: y}}\n")] == ["F307"]
    assert [c for c, _, _ in refusals(f"{head}  - {{id: x}}\n  - {{id: x}}\n")] == ["F306"]
