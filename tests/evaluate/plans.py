"""Fiches with plans of buying against renting, for tests: four cards, and two ways to rent them."""

from fractions import Fraction

from loading import Importers, MemoryFolder

from fiche.cli.compile import doors
from fiche.evaluate.decide import judged_fiche
from fiche.evaluate.ownership import ownerships
from fiche.evaluate.rejudge import Judged
from fiche.kernel.record import replace
from fiche.load.fiche import load_bytes

GPU = "nvidia-l40s-48g"
OFFERS = """\
offers: 1
list:
  - {{id: server, seller: s, kind: buy, gpu: {gpu}, cards_per_lot: 4, tax: {{basis: excluded}},
     price: {{amount: {price} EUR, covers: lot}}}}
  - {{id: hourly, seller: s, kind: rent, gpu: {gpu}, cards_per_lot: 4, tax: {{basis: excluded}},
     price: {{amount: {hour} EUR, per: 1 h, covers: card}}, extension: hours}}
  - {{id: monthly, seller: s, kind: rent, gpu: {gpu}, cards_per_lot: 4, tax: {{basis: excluded}},
     price: {{amount: {month} EUR, per: 730 h, covers: lot}}, extension: lots}}
"""
FICHE = """\
fiche: 1
title: A test
date: 2026-11-29
author: A. Martin
catalogs: [offers.yaml]
workload: {{}}
{head}candidates:
  - {{id: own, gpu: {gpu}, cards: 4, offer: server}}
  - {{id: hourly, gpu: {gpu}, cards: 4, offer: hourly}}
  - {{id: monthly, gpu: {gpu}, cards: 4, offer: monthly}}
ownership:
{plans}"""
# Every input told: what a test leaves out, it says.
TOLD = {
    "years": 4,
    "utilisation": "60 %",
    "discount_rate": "8 %",
    "residual": "4000 EUR",
    "hosting": "2400 EUR/year",
    "support": "1800 EUR/year",
    "staff": "3000 EUR/year",
    "spares": "5 %",
    "licences": "0 EUR/year",
}
ENERGY = {"load": "350 W", "idle": "35 W", "pue": 1.4, "price": "0.21 EUR/kWh"}
REASON = "because: a test"


def plan_text(id="p", *, rent="hourly, monthly", energy=None, further="", **changes):
    """One plan; a change to None leaves the input out."""
    told = {key: value for key, value in {**TOLD, **changes}.items() if value is not None}
    lines = [f"  - id: {id}", "    buy: own", f"    rent: [{rent}]"]
    lines += [f"    {key}: {{value: {value}, {REASON}}}" for key, value in told.items()]
    watts = {k: v for k, v in {**ENERGY, **(energy or {})}.items() if v is not None}
    if watts:
        lines.append("    energy:")
        lines += [
            f"      {key}: {value}"
            if key in ("term", "per")
            else f"      {key}: {{value: {value}, {REASON}}}"
            for key, value in watts.items()
        ]
    return "\n".join([*lines, *([further] if further else []), ""])


def fiche_of(
    *plans, price="44000", hour="1.09", month="2950", head="", dollars=False, silent="", **files
):
    text = FICHE.format(gpu=GPU, plans="".join(plans), head=head)
    offers = OFFERS.format(gpu=GPU, price=price, hour=hour, month=month)
    if silent:
        offer = {"own": "server"}.get(silent, silent)
        text = text.replace(f"cards: 4, offer: {offer}", "cards: 4")
    if dollars:
        offers = offers.replace(f"{hour} EUR", f"{hour} USD")
    folder = MemoryFolder({"offers.yaml": offers.encode(), **files})
    return load_bytes("fiche.yaml", text.encode(), folder, Importers(())).fiche


def judged(*plans, **prices):
    """The decision with its plans worked out, and nothing else that is derived."""
    fiche = fiche_of(*plans, **prices)
    decision = judged_fiche(fiche, doors(), "0")
    found = Judged(decision=decision, again=lambda changed: judged_fiche(changed, doors(), "0"))
    return replace(decision, ownerships=ownerships(found))


def worked(**changes):
    """The only plan of a fiche, worked out."""
    prices = {key: changes.pop(key) for key in ("price", "hour", "month") if key in changes}
    return judged(plan_text(**changes), **prices).ownerships[0]


def rental(told, name="hourly"):
    return next(rent for rent in told.rentals if rent.candidate == name)


def flip(rent, name):
    return next(each for each in rent.flips if each.name == name)


def cents(node):
    """An exact amount to the cent."""
    assert node.exact
    return f"{float(round(Fraction(node.low), 2)):.2f}"
