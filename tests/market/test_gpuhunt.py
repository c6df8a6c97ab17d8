"""gpuhunt's CSV (F7): the label is snapped and is no capacity; names collapse and stay several."""

import pytest
from market.listings import adds_up, one, read

HEADER = (
    "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,"
    "flags\n"
)


def row(**told):
    cells = {
        "instance_name": "i1",
        "location": "us-east-1",
        "price": "0.8048",
        "cpu": "4",
        "memory": "16.0",
        "gpu_count": "1",
        "gpu_name": "L4",
        "gpu_memory": "24.0",
        "spot": "False",
        "disk_size": "",
        "gpu_vendor": "nvidia",
        "flags": "",
    }
    return ",".join({**cells, **told}.values()) + "\n"


def test_a_row_is_an_offer_with_its_source():
    offer = one(HEADER + row(), file="v2/aws.csv")
    assert offer["gpu"] == "nvidia-l4-24g"
    assert offer["price.amount"] == "0.8048 USD"
    assert (offer["price.covers"], offer["price.per"], offer["cards_per_lot"]) == (
        "lot",
        "1 h",
        "1",
    )
    assert offer["seller"] == "aws"
    assert offer["source"].startswith(
        f"v2/aws.csv line 2, column price, sha256 {'0' * 64}; USD by gpuhunt"
    )
    assert "observed_on" not in offer, "the format has no date, and nobody gave one"


def test_a_day_is_somebodys_word():
    offer = one(HEADER + row(), observed_on="2026-11-29", source="price page, A. Martin")
    assert offer["observed_on"] == "2026-11-29"
    assert offer["source"].endswith("; day by price page, A. Martin")


def test_a_snapped_label_is_no_capacity():
    assert "declared_memory.value" not in one(HEADER + row())


def test_a_collapsed_name_is_never_picked():
    found = read(HEADER + row(gpu_name="A100", gpu_memory="80.0", price="1.39"))
    assert found.offers[0]["gpu"] == "A100"
    assert found.offers[0]["could_be"].split() == ["nvidia-a100-pcie-80g", "nvidia-a100-sxm4-80g"]
    assert found.doubts == {"card": 1}


@pytest.mark.parametrize(
    ("name", "memory", "card"),
    [
        ("RTX4090", "24.0", "nvidia-rtx-4090-24g"),
        ("A6000", "48.0", "nvidia-rtx-a6000-48g"),
        ("RTX6000Ada", "48.0", "nvidia-rtx-6000-ada-48g"),
        ("H100NVL", "94.0", "nvidia-h100-nvl-94g"),
        ("MI300X", "192.0", "amd-mi300x-192g"),
        ("A10G", "24.0", "nvidia-a10g-24g"),
        ("L40", "48.0", "nvidia-l40-48g"),
    ],
)
def test_names_of_one_card(name, memory, card):
    assert one(HEADER + row(gpu_name=name, gpu_memory=memory))["gpu"] == card


def test_a_price_of_zero_would_rank_first():
    found = read(HEADER + row(price="0.0") + row())
    assert [(each.code, each.place) for each in found.refused] == [("F624", "line 2")]
    assert (len(found.offers), adds_up(found)) == (1, True)


def test_a_slice_is_no_card():
    found = read(
        HEADER
        + row(instance_name="vcg-a100-2c-15g-4vram", gpu_name="A100", gpu_memory="4.0")
        + row(instance_name="Standard_NV6ads_A10_v5", gpu_name="A10", gpu_memory="24.0")
    )
    assert [offer["gpu"] for offer in found.offers] == [
        "A100 (4.0 GB of it)",
        "A10 (a sixth of a card)",
    ]
    assert found.doubts == {"slice": 2}
    assert all("could_be" not in offer and "cards_per_lot" not in offer for offer in found.offers)


def test_spot_and_on_demand_are_told_apart():
    found = read(HEADER + row(spot="True", price="0.3") + row())
    assert [offer["interruptible"] for offer in found.offers] == ["true", "false"]


def test_a_row_that_stands_twice_counts_once():
    found = read(HEADER + row() + row())
    assert (len(found.offers), found.left, adds_up(found)) == (
        1,
        {"it stands there twice": 1},
        True,
    )


def test_a_module_is_counted_in_devices():
    """MI250X is sold as 128 GB, and software shows two devices of 64 (catalog.md 10)."""
    offer = one(HEADER + row(gpu_name="MI250X", gpu_memory="128.0", gpu_count="4", price="8.0"))
    assert (offer["gpu"], offer["cards_per_lot"]) == ("amd-mi250x-gcd-64g", "8")
    assert offer["price.covers"] == "lot"


def test_three_decimals_are_written_with_one_reading():
    assert one(HEADER + row(price="2.195"))["price.amount"] == "2.1950 USD"


def test_rows_without_cards_and_broken_rows_are_counted():
    found = read(HEADER + row(gpu_count="0", gpu_name="") + "a,b\n" + row(price="free") + row())
    assert found.left == {"it has no GPU": 1}
    assert [each.code for each in found.refused] == ["F621", "F621"]
    assert (found.rows, adds_up(found)) == (4, True)


def test_unknown_memory_is_not_zero():
    found = read(HEADER + row(gpu_memory="0"))
    assert found.offers[0]["gpu"] == "nvidia-l4-24g"
    assert found.doubts == {"memory_unknown": 1}


def test_a_memory_1024_times_too_small_is_refused():
    found = read(HEADER + row(gpu_memory="0.0234375"))
    assert [(each.code, each.column) for each in found.refused] == [("F622", "gpu_memory")]
