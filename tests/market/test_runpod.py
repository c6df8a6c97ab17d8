"""RunPod's GPU types (F7): a price a cloud and a commitment, of one card; null is none."""

import json

from market.listings import read

H100 = {
    "id": "NVIDIA H100 80GB HBM3",
    "displayName": "H100 SXM",
    "memoryInGb": 80,
    "securePrice": 2.69,
    "communityPrice": 2.39,
    "secureSpotPrice": 0,
    "communitySpotPrice": None,
    "oneMonthPrice": 2.2,
}


def types(*rows):
    return json.dumps({"data": {"gpuTypes": rows}})


def test_each_price_is_an_offer():
    found = read(types(H100))
    told = [
        (o["id"].removeprefix("runpod-data-gpuTypes-0-"), o["price.amount"]) for o in found.offers
    ]
    assert told == [("secure", "2.69 USD"), ("community", "2.39 USD"), ("1-month", "2.2 USD")]
    assert {o["gpu"] for o in found.offers} == {"nvidia-h100-sxm5-80g"}
    assert {o["price.covers"] for o in found.offers} == {"card"}
    assert found.doubts == {"price_of_zero": 1}


def test_a_month_has_no_length_that_the_format_states():
    month = read(types(H100)).offers[-1]
    assert (month["commitment"], "price.per" in month) == ("1 month", False)


def test_the_id_says_more_than_the_name_shown():
    row = {
        "id": "NVIDIA A100 80GB PCIe",
        "displayName": "A100 80GB",
        "memoryInGb": 80,
        "securePrice": 1.89,
    }
    assert read(types(row)).offers[0]["gpu"] == "nvidia-a100-pcie-80g"


def test_a_type_without_a_price_is_left_out():
    assert read(types({"displayName": "L4", "memoryInGb": 24})).left == {"it has no price": 1}


def test_a_slice_is_no_card():
    row = {
        "id": "NVIDIA A100-SXM4-80GB MIG 1g.10gb",
        "displayName": "A100 MIG",
        "memoryInGb": 10,
        "securePrice": 0.3,
    }
    found = read(types(row))
    assert found.doubts == {"slice": 1}
    assert "cards_per_lot" not in found.offers[0]


def test_a_form_that_every_card_of_the_name_has_says_nothing_more():
    row = {"id": "AMD Instinct MI300X OAM", "displayName": "MI300X", "memoryInGb": 192}
    assert read(types({**row, "securePrice": 2.49})).offers[0]["gpu"] == "amd-mi300x-192g"
