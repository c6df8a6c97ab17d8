"""Lium's feed (F7): installed is not free, and the least order is not one."""

import json

import pytest
from market.listings import one, read

NODE = {
    "gpu_model": "H200",
    "gpu_count": 8,
    "available_gpu_count": 5,
    "price_per_gpu_hour": 3.99,
    "min_rentable_gpu_count": 1,
    "gpu_memory_gb": 140,
    "tier": "secure",
    "country_code": "US",
    "region": "MS",
    "rent_url": "https://example.org/pods/f0",
    "price_per_node_hour": 31.92,
}
SAID = {"currency": "USD", "source": "its page"}


def feed(*nodes):
    return json.dumps(
        {"generated_at": "2026-09-10T07:37:02.247559Z", "count": len(nodes), "nodes": nodes}
    )


def test_five_of_eight_are_free():
    offer = one(feed(NODE), **SAID)
    assert (offer["stock.installed"], offer["stock.free"], offer["lots_max"]) == ("8", "5", "5")
    assert (offer["price.amount"], offer["price.covers"], offer["cards_per_lot"]) == (
        "3.99 USD",
        "card",
        "1",
    )
    assert offer["could_be"].split() == ["nvidia-h200-sxm-141g", "nvidia-h200-nvl-141g"]


def test_the_day_is_the_feeds_own():
    assert one(feed(NODE), **SAID)["observed_on"] == "2026-09-10"
    assert one(feed(NODE), observed_on="2026-09-11", **SAID)["observed_on"] == "2026-09-11"


def test_a_minimum_order_of_eight():
    node = {**NODE, "gpu_model": "RTX 5090", "gpu_memory_gb": 32, "price_per_gpu_hour": 0.5}
    offer = one(feed({**node, "price_per_node_hour": 4.0, "min_rentable_gpu_count": 8}), **SAID)
    assert (offer["gpu"], offer["min_order"]) == ("nvidia-rtx-5090-32g", "8")


def test_two_prices_that_contradict_each_other_are_refused():
    found = read(feed({**NODE, "price_per_node_hour": 3.99}), **SAID)
    assert [(each.code, each.column, each.value) for each in found.refused] == [
        ("F621", "price_per_node_hour", "3.99")
    ]


def test_a_spot_tier_is_interruptible():
    assert one(feed({**NODE, "tier": "spot"}), **SAID)["interruptible"] == "true"


@pytest.mark.parametrize(
    "wrong",
    [{"available_gpu_count": 9}, {"min_rentable_gpu_count": 16}],
    ids=lambda each: next(iter(each)),
)
def test_more_than_is_installed_cannot_be(wrong):
    (refused,) = read(feed({**NODE, **wrong}), **SAID).refused
    assert (refused.code, refused.column) == ("F621", next(iter(wrong)))
    assert refused.why == "it is more than the 8 that are installed"
