"""Vast.ai (F7): gpu_ram is MB in the REST API and GB on the command line, by its own documentation."""

import json

from market.listings import adds_up, one, read

ROW = {
    "id": 101,
    "machine_id": 7,
    "gpu_name": "RTX 4090",
    "num_gpus": 1,
    "gpu_ram": 24564,
    "cpu_ram": 65536,
    "dph_total": 0.40,
    "min_bid": 0.2,
    "geolocation": "Germany, DE",
    "rentable": True,
}


def rest(*rows):
    return json.dumps({"offers": rows})


def test_a_print_of_the_rest_api():
    offer = one(rest(ROW))
    assert (offer["gpu"], offer["declared_memory.value"]) == ("nvidia-rtx-4090-24g", "24564 MiB")
    assert (offer["machine"], offer["host_memory"]) == ("vast-7", "64 GiB")
    assert (offer["price.amount"], offer["price.covers"]) == ("0.4 USD", "lot")


def test_gb_of_the_command_line_is_a_label():
    offer = one(json.dumps([{**ROW, "gpu_ram": 24, "cpu_ram": 64}]), file="offers.json")
    assert offer["gpu"] == "nvidia-rtx-4090-24g"
    assert "declared_memory.value" not in offer


def test_gb_in_the_rest_api_is_refused():
    found = read(rest({**ROW, "gpu_ram": 24}))
    assert [(each.code, each.place, each.value) for each in found.refused] == [
        ("F622", "/offers/0", "24")
    ]


def test_what_is_rented_out_is_left_out_and_counted():
    found = read(rest({**ROW, "rentable": False}, ROW, {"id": 1}))
    assert found.left == {"it is rented out": 1}
    assert (len(found.offers), len(found.refused), adds_up(found)) == (1, 1, True)


def test_a_bid_is_no_price():
    assert len(read(rest(ROW)).offers) == 1
