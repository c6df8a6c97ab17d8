"""Plans as a fiche states them: stated with a reason, assumed by a name, or attested by a piece (E2, D3)."""

import pytest
from evaluate.plans import OFFERS, fiche_of, plan_text
from loading import MemoryFolder

from fiche.kernel.diagnostic import Refused
from fiche.kernel.origin import Assumed, Declared, Stated

PIECES = """\
pieces:
  - id: paper
    file: paper.txt
    kind: document
    attests:
      - {fact: energy_price, value: 0.19 EUR/kWh, quote: "0.19 EUR/kWh"}
      - {fact: residual, value: 5000 EUR, quote: "5 000 EUR"}
      - {fact: pue, value: 1.3, quote: "PUE 1.3"}
      - {fact: utilisation, value: 55 %, quote: "55 %"}
      - {fact: power, value: 340 W, term: reading, quote: "340 W"}
      - {fact: yearly_cost, of: hosting, value: 900 EUR/year, quote: "900 EUR"}
      - {fact: yearly_cost, of: staff, value: 700 EUR/year, quote: "700 EUR"}
"""
PAPER = "0.19 EUR/kWh\n5 000 EUR\nPUE 1.3\nin use 55 %\ndrew 340 W\nrack 900 EUR\nhelp 700 EUR\n"


def plan(text, pieces=PIECES):
    """The figures of one plan whose lines are given."""
    import evaluate.plans as plans
    from loading import Importers

    from fiche.load.fiche import load_bytes

    head = plans.FICHE.format(
        gpu=plans.GPU, head="", plans=f"  - id: p\n    buy: own\n    rent: [hourly]\n{text}"
    )
    content = head.replace("candidates:", pieces + "candidates:", 1).encode()
    offers = OFFERS.format(gpu=plans.GPU, price="44000", hour="1.09", month="2950").encode()
    folder = MemoryFolder({"offers.yaml": offers, "paper.txt": PAPER.encode()})
    return load_bytes("fiche.yaml", content, folder, Importers(())).fiche.plans[0]


def test_a_value_with_a_reason_is_stated_and_one_with_a_name_is_assumed():
    told = plan(
        "    years: {value: 4, because: rule 7}\n"
        "    utilisation: {value: 60 %, by: B. Ito, because: the queue}\n"
    ).figures
    assert isinstance(told["years"].origin, Stated)
    assert told["years"].origin.because == "rule 7"
    assert told["utilisation"].origin == Assumed(
        by="B. Ito", because="the queue", span=told["utilisation"].origin.span
    )


def test_a_bare_number_is_a_guess_of_the_author_unless_it_is_the_question():
    told = plan(
        "    years: 4\n    discount_rate: 8 %\n    utilisation: 60 %\n    staff: 10 EUR/year\n"
    )
    origins = {name: type(figure.origin) for name, figure in told.figures.items()}
    assert origins == {
        "years": Stated,
        "discount_rate": Stated,
        "utilisation": Assumed,
        "staff": Assumed,
    }
    assert told.figures["staff"].origin.by == "A. Martin"


def test_what_a_piece_attests_keeps_the_pieces_own_line():
    """D3: walked back to the words of the document."""
    told = plan(
        "    residual: {piece: paper}\n    utilisation: {piece: paper}\n    hosting: {piece: paper}\n"
        "    staff: {piece: paper}\n"
        "    energy: {load: {piece: paper}, pue: {piece: paper}, price: {piece: paper}}\n"
    ).figures
    assert {name: str(figure.low) for name, figure in told.items()} == {
        "residual": "5000", "utilisation": "11/20", "hosting": "900", "staff": "700",
        "load": "340", "pue": "13/10", "price": "19/100",
    }  # fmt: skip
    assert all(isinstance(figure.origin, Declared) for figure in told.values())
    assert told["staff"].origin.address.line == 7


def test_words_of_a_plan_are_kept():
    told = plan(
        "    rented: without_break\n    considered: {egress: none}\n"
        "    energy: {term: TGP, per: all, load: {value: 900 W, because: a reading}}\n"
    )
    assert {name: fact.value for name, fact in told.facts.items()} == {
        "rented": "without_break", "term": "TGP", "per": "all", "considered.egress": "none",
    }  # fmt: skip


def test_a_fiche_without_the_key_has_no_plan():
    assert fiche_of(plan_text()).plans
    from loading import fiche_of as smallest

    assert smallest().plans == ()


@pytest.mark.parametrize(
    "text", ["    years: 0\n", "    years: 2.5\n", "    hosting: 90 EUR\n", "    rented: often\n"]
)
def test_what_is_out_of_form_is_refused(text):
    with pytest.raises(Refused):
        plan(text)
