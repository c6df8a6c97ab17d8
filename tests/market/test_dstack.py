"""`dstack offer` (F7): its JSON and its table; memory is gpuhunt's label, so never a capacity."""

import json

from market.listings import adds_up, one, read

L4 = {
    "backend": "aws",
    "region": "us-east-1",
    "instance_type": "g6.xlarge",
    "resources": {
        "cpus": 4,
        "memory_mib": 16384,
        "gpus": [{"vendor": "nvidia", "name": "L4", "memory_mib": 24576}],
        "spot": False,
    },
    "price": 0.8048,
    "availability": "available",
}
TABLE = "BACKEND,REGION,INSTANCE,RESOURCES,SPOT,PRICE\n"


def offers(*rows):
    return json.dumps({"project": "main", "offers": rows, "total_offers": len(rows)})


def test_an_offer_of_the_json():
    offer = one(offers(L4), currency="USD", source="its page")
    assert (offer["gpu"], offer["seller"], offer["id"]) == ("nvidia-l4-24g", "aws", "aws-offers-0")
    assert (offer["price.amount"], offer["interruptible"], offer["host_memory"]) == (
        "0.8048 USD",
        "false",
        "16 GiB",
    )
    assert "declared_memory.value" not in offer


def test_an_offer_of_the_table():
    text = TABLE + 'lambda,us-west,gpu_1x,"12xCPU, 220GB, 2xA100 (80GB), 100GB (disk)",no,$2.58\n'
    offer = one(text, currency="USD", source="its page")
    assert (offer["cards_per_lot"], offer["price.amount"]) == ("2", "2.58 USD")
    assert offer["could_be"].split() == ["nvidia-a100-pcie-80g", "nvidia-a100-sxm4-80g"]


def test_rows_without_cards_and_of_unlike_cards_are_counted():
    bare = {**L4, "resources": {"gpus": []}}
    mixed = {**L4, "resources": {"gpus": [{"name": "L4"}, {"name": "T4"}]}}
    found = read(offers(bare, mixed, "odd", L4), currency="USD", source="its page")
    assert found.left == {"it has no GPU": 1}
    assert [each.place for each in found.refused] == ["/offers/1", "/offers/2"]
    assert (found.rows, adds_up(found)) == (4, True)
