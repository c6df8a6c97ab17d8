"""Any table (F7): what a person names is taken, and nothing else; lots, cents, months and minutes are said."""

import pytest
from market.listings import adds_up, read

from fiche.kernel.diagnostic import Refused


def table(text, *templates, **said):
    columns = dict(each.split("=", 1) for each in templates)
    return read(text, kind="columns", columns=columns, **said)


def test_a_lot_that_is_listed_with_the_memory_of_all_its_cards():
    """DigitalOcean: 640 gib for eight; Verda: 96 for two of 48."""
    text = "model,count,vram,unit,hourly\nH100,8,640,gib,23.92\nRTX A6000,2,96,GB,1.98\n"
    found = table(
        text,
        "seller=provider D",
        "gpu_name={model}",
        "cards_per_lot={count}",
        "memory_of_lot={vram} {unit}",
        "price.amount={hourly} USD",
        "price.covers=lot",
        "price.per=1 h",
    )
    assert found.offers[0]["could_be"].split() == ["nvidia-h100-pcie-80g", "nvidia-h100-sxm5-80g"]
    assert found.offers[1]["gpu"] == "nvidia-rtx-a6000-48g"
    assert all("declared_memory.value" not in offer for offer in found.offers)


def test_cents_and_a_minimum_of_minutes():
    """Hot Aisle: 2712 cents, 480 minutes at least."""
    text = "gpu,price,minimum\nMI300X,2712,480\n"
    found = table(
        text,
        "seller=provider H",
        "gpu_name={gpu}",
        "price.amount={price} USD cents",
        "price.per=1 h",
        "min_time={minimum} min",
    )
    assert found.offers[0]["price.amount"] == "27.12 USD"
    assert found.offers[0]["min_time"] == "480 min"


@pytest.mark.parametrize("hours", ["672", "730", "744"])
def test_a_month_has_the_hours_that_the_seller_counts(hours):
    text = "gpu,monthly\nMI300X,11773.44\n"
    offer = table(
        text, "seller=H", "gpu_name={gpu}", "price.amount={monthly} USD", f"price.per={hours} h"
    ).offers[0]
    assert (offer["price.amount"], offer["price.per"]) == ("11773.44 USD", f"{hours} h")


def test_json_lines():
    text = '{"m": "L4", "p": 0.7}\n{"m": "T4"}\n'
    found = table(text, "seller=E", "gpu_name={m}", "price.amount={p} EUR", file="x.jsonl")
    assert [offer["gpu"] for offer in found.offers] == ["nvidia-l4-24g"]
    assert (found.left, adds_up(found)) == ({"it has no price": 1}, True)


def test_an_amount_without_a_currency_is_refused():
    found = table("m,p\nL4,0.7\n", "seller=E", "gpu_name={m}", "price.amount={p}")
    assert [each.code for each in found.refused] == ["F621"]


def test_nothing_is_taken_that_nobody_names():
    with pytest.raises(Refused, match="F627"):
        read("m,p\nL4,0.7\n", kind="columns", currency="EUR", source="x")
    with pytest.raises(Refused, match="F620"):
        table("m,p\nL4,0.7\n", "gpu_name={model}", "price.amount={p} EUR")


def test_nobody_sells():
    found = table("m,p\nL4,0.7\n", "gpu_name={m}", "price.amount={p} EUR")
    assert [each.code for each in found.refused] == ["F625"]


def test_a_control_character_is_refused():
    found = table("m,p\nL4\x1b[31m,0.7\n", "seller=E", "gpu_name={m}", "price.amount={p} EUR")
    assert [each.code for each in found.refused] == ["F621"]


def test_the_price_of_one_module_is_none_of_one_device():
    text = "m,n,p\nMI250X 128GB,2,3.5\n"
    templates = ("seller=H", "gpu_name={m}", "cards_per_lot={n}", "price.amount={p} USD")
    offer = table(text, *templates, "price.covers=card").offers[0]
    assert (offer["gpu"], offer["cards_per_lot"], "price.covers" in offer) == (
        "amd-mi250x-gcd-64g",
        "4",
        False,
    )


@pytest.mark.parametrize("told", ["24 G", "24", "24 moons"])
def test_a_memory_without_a_known_unit_is_refused(told):
    """Left out, it would narrow no name, and nobody would hear of it (law 8)."""
    templates = ("seller=E", "gpu_name={m}", "price.amount={p} EUR", "memory_of_card={v}")
    found = table(f"m,v,p\nL4,{told},0.7\nL4,24 GB,0.7\nL4,,0.8\n", *templates)
    assert [(each.code, each.value) for each in found.refused] == [("F621", told)]
    assert (len(found.offers), adds_up(found)) == (2, True)
