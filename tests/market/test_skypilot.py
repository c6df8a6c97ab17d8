"""SkyPilot's vms.csv (F7), with rows of the published catalogs: memory of machines, units, zones, spot."""

import pytest
from market.listings import adds_up, read

from fiche.kernel.diagnostic import Refused

VAST = (
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region\n"
)
RUNPOD = (
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Region,"
    "SpotPrice,Price,AvailabilityZone,GpuInfo\n"
)


def info(name, count, mib, total=None):
    return (
        f"\"{{'Gpus': [{{'Name': '{name}', 'Count': {count}, 'MemoryInfo': {{'SizeInMiB': {mib}}}}}], "
        f"'TotalGpuMemoryInMiB': {total or mib}}}\""
    )


def vast(*rows):
    return read(
        VAST + "".join(f"{row}\n" for row in rows), currency="USD", source="its page", folder="vast"
    )


def test_the_total_of_a_machine_is_no_memory_of_a_card():
    """skypilot-org/skypilot#3434: 4x H200 with SizeInMiB 575084."""
    found = vast(
        f'4x-H200-32-65536,H200,4,32,64.0,{info("H200", 4, 575084)},10.59,0.00,"France, FR, EU"'
    )
    (offer,) = found.offers
    assert "declared_memory.value" not in offer
    assert (offer["cards_per_lot"], offer["price.covers"], offer["region"]) == (
        "4",
        "lot",
        "France, FR, EU",
    )
    assert offer["could_be"].split() == ["nvidia-h200-sxm-141g", "nvidia-h200-nvl-141g"]
    assert found.doubts["memory_of_machine"] == 1
    assert "575084 MiB stands for all 4 cards" in found.examples["memory_of_machine"]


def test_the_print_of_one_card_is_kept():
    found = vast(f"1x-L40S-32-65536,L40S,1,32,64.0,{info('L40S', 1, 46068)},0.60,0.00,TW")
    assert found.offers[0]["declared_memory.value"] == "46068 MiB"
    assert found.offers[0]["declared_memory.counter"] == "provider_declared"


def test_a_label_converted_is_no_print():
    """AWS writes 22888 MiB for an L4, which is 24e9 / 2^20; GCP's table has 141 * 1024 for an H200."""
    aws = vast(f"g6.xlarge,L4,1,4,16.0,{info('L4', 1, 22888)},0.8048,0.3,us-east-1")
    gcp = vast(f"a3,H200,1,4,16.0,{info('H200', 1, 144384)},3.1,0.00,us-east-1")
    assert "declared_memory.value" not in aws.offers[0]
    assert aws.doubts["label_converted"] == gcp.doubts["label_converted"] == 1


def test_gb_in_a_column_of_mib_is_refused_and_never_converted():
    row = f"1x_A100-80GB_SECURE,A100-80GB,1.0,8.0,117.0,IN,1.39,1.39,AP-IN-1,{info('A100 PCIe', 1, 80)}\n"
    found = read(RUNPOD + row, currency="USD", source="its page", folder="runpod")
    (refusal,) = found.refused
    assert (refusal.code, refusal.place, refusal.column, refusal.value) == (
        "F622",
        "line 2",
        "GpuInfo",
        "80",
    )
    assert "1024 times less" in refusal.why
    assert (found.offers, adds_up(found)) == ((), True)


def test_a_board_with_more_than_any_of_its_name_stays_a_name():
    found = vast(f"1x-RTX_4090-32-65536,RTX4090,1,32,64.0,{info('RTX4090', 1, 49140)},0.40,0.00,HK")
    assert found.offers[0]["gpu"] == "RTX 4090"
    assert "could_be" not in found.offers[0]
    assert found.offers[0]["declared_memory.value"] == "49140 MiB"
    assert found.doubts["no_such_card"] == 1


def test_the_name_with_more_in_it_is_read():
    """The column says H100, the type's name H100_NVL; a 4060 is a 4060 Ti."""
    found = vast(
        f"1x-H100_NVL-32-65536,H100,1,32,64.0,{info('H100', 1, 95830)},2.08,0.00,BG",
        f"1x-RTX_4060_Ti-32-65536,RTX4060,1,32,64.0,{info('RTX4060', 1, 16380)},0.13,0.00,GB",
    )
    assert [offer["gpu"] for offer in found.offers] == [
        "nvidia-h100-nvl-94g",
        "nvidia-rtx-4060-ti-16g",
    ]


def test_a_spot_price_of_zero_is_none():
    found = vast(f"1x-L40S-32-65536,L40S,1,32,64.0,{info('L40S', 1, 46068)},0.60,0.00,TW")
    assert [offer["interruptible"] for offer in found.offers] == ["false"]
    assert found.doubts["price_of_zero"] == 1


def test_a_spot_price_is_an_offer_of_its_own():
    row = "1x_A100-80GB_SECURE,A100-80GB,1.0,8.0,117.0,JP,0.79,1.39,AP-JP-1,\n"
    found = read(RUNPOD + row, currency="USD", source="its page", folder="runpod")
    assert [(o["id"], o["price.amount"], o["interruptible"]) for o in found.offers] == [
        ("runpod-2", "1.39 USD", "false"),
        ("runpod-2-spot", "0.79 USD", "true"),
    ]


def test_prices_printed_again_for_every_zone_are_said():
    rows = "".join(
        f"1x_A100-80GB_SECURE,A100-80GB,1.0,8.0,117.0,JP,,1.39,AP-JP-{zone},\n" for zone in range(5)
    )
    found = read(RUNPOD + rows, currency="USD", source="its page", folder="runpod")
    assert (len(found.offers), found.zones) == (5, 4)


def test_a_fraction_of_a_card_is_a_slice():
    found = vast(f"g6f.xlarge,L4,0.125,4,16.0,{info('L4', 0.125, 2861)},0.1,0.00,us-east-1")
    assert found.offers[0]["gpu"] == "L4 (0.125 of a card)"
    assert found.doubts["slice"] == 1


def test_device_memory_in_the_column_of_main_memory():
    """skypilot-org/skypilot#6824."""
    found = vast(f"x,L40S,2,32,90.0,{info('L40S', 2, 46068, 92136)},1.20,0.00,TW")
    assert "host_memory" not in found.offers[0]
    assert found.doubts["host_memory"] == 1
    kept = vast(f"x,L40S,2,32,64.0,{info('L40S', 2, 46068, 92136)},1.20,0.00,TW")
    assert kept.offers[0]["host_memory"] == "64.0 GiB"


@pytest.mark.parametrize(
    "literal", ["__import__('os').system('true')", "{'Gpus': []}", "(" * 3000, "[" * 90 + "]" * 90]
)
def test_a_literal_is_never_run(literal):
    found = vast(f'x,L40S,1,32,64.0,"{literal}",0.60,0.00,TW')
    assert [each.code for each in found.refused] == ["F621"]


def test_no_document_says_a_currency():
    with pytest.raises(Refused, match="F623"):
        read(VAST, folder="vast")


def test_a_currency_of_somebody_names_whose_word_it_is():
    found = vast(f"1x-L40S-32-65536,L40S,1,32,64.0,{info('L40S', 1, 46068)},0.60,0.00,TW")
    assert found.offers[0]["source"].endswith("; USD by its page")


@pytest.mark.parametrize(
    ("row", "memory"),
    [
        ("a,L40S,1,32,64.0,\"{'TotalGpuMemoryInMiB': 46068}\",0.60,,TW", "46068 MiB"),
        (
            "a,L40S,1.0,3,64,\"{'Gpus': [{'Name': 'L40S', 'Count': 1}], 'TotalGpuMemoryInMiB': 46068}\",1,,T",
            "46068 MiB",
        ),
        (
            "gpu_8x_a100,A100,8.0,124.0,1800.0,\"{'TotalGpuMemoryInMiB': 40960}\",15.92,,us-east-1",
            None,
        ),
        ("h,H100,8.0,208.0,1800.0,\"{'TotalGpuMemoryInMiB': 5242880}\",23.92,,US", None),
    ],
)
def test_a_total_alone_is_a_cards_memory_only_where_there_is_one_card(row, memory):
    """Of several it says nothing: one cloud writes one card's memory there, another eight times the total."""
    (offer,) = vast(row).offers
    assert offer.get("declared_memory.value") == memory


def test_a_total_of_another_unit_is_refused():
    found = vast("a,L40S,1.0,16,62,\"{'TotalGpuMemoryInMiB': 48}\",1.09,1.09,CA")
    assert (found.offers, [each.code for each in found.refused]) == ((), ["F622"])


def test_the_cell_of_a_tpu_repeats_its_name():
    offer = vast(",tpu-v3-32,1,,,tpu-v3-32,32.0,9.6,us-east1").offers[0]
    assert (offer["gpu"], offer["price.amount"]) == ("tpu-v3-32", "32.0 USD")
