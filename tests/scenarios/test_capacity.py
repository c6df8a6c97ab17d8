"""Nominal, declared and visible memory are three numbers: the oracles of real cards (D4, B1)."""

import pytest
from scenarios.story import (
    GIB,
    GPU,
    MIB,
    asked,
    device,
    files,
    found,
    judged,
    oom,
    phase,
    record,
    status,
    verdict,
    visible,
)

L4, A40, A16, MI250X = "nvidia-l4-24g", "nvidia-a40-48g", "nvidia-a16-16g", "amd-mi250x-gcd-64g"


def needing(need, gpu=GPU, cards=1, **candidate):
    """A fiche that requires so many bytes on each device; the candidate is alone on its machine."""
    fiche = asked()
    fiche["requirements"] = [{"id": "room", "kind": "capacity", "level": "must", "at_least": need}]
    own = {"id": "rent", "gpu": gpu, "cards": cards, "other_users": "none", **candidate}
    fiche["candidates"] = [{key: value for key, value in own.items() if value is not None}]
    fiche["pieces"] = []
    return fiche


def printed(fiche, value, counter="torch_total_memory", rounding="floor", scope=None):
    """Add a print of the offered machine, in the words of a file."""
    fiche["candidates"][0].setdefault("machine", "node-1")
    fiche["pieces"].append(
        {
            "id": "print",
            "file": "print.txt",
            "kind": "document",
            "scope": scope or {"machine": fiche["candidates"][0]["machine"]},
            "attests": [
                {
                    "fact": "capacity",
                    "counter": counter,
                    "value": value,
                    "rounding": rounding,
                    "quote": f"total: {value}",
                }
            ],
        }
    )
    return fiche, {**files(), "print.txt": f"device 0\ntotal: {value}\n"}


NEED = "23900000000 B"


@pytest.mark.parametrize("gpu", [GPU, L4, "nvidia-rtx-3090-24g", "nvidia-a10g-24g"])
def test_23_9_gb_on_the_label_24_gb_alone_is_to_confirm(tmp_path, gpu):
    """Never admissible on a label, and below 24 x 2^30 never excluded."""
    told = judged(tmp_path, needing(NEED, gpu))
    assert verdict(told, "room") == "to_confirm"
    assert "print the framework-visible total memory" in found(told, "room")["condition"]


def test_23_9_gb_is_excluded_once_the_offered_l4_printed_22693_mib(tmp_path):
    told = judged(tmp_path, *printed(needing(NEED, L4), "22693 MiB"))
    assert (verdict(told, "room"), status(told)) == ("exclude", "excluded")
    assert found(told, "room")["have"]["high_bytes"] == 22694 * MIB - 1


def test_23_9_gb_is_admissible_once_a_4090_printed_24081_mib(tmp_path):
    told = judged(tmp_path, *printed(needing(NEED), "24081 MiB"))
    assert verdict(told, "room") == "admissible"
    assert found(told, "room")["margin"]["low_bytes"] == 24081 * MIB - 23_900_000_000


def test_25_0_gb_on_24_gb_where_the_decimal_reading_would_exclude(tmp_path):
    need = "25000000000 B"
    assert verdict(judged(tmp_path / "a", needing(need)), "room") == "to_confirm"
    told = judged(tmp_path / "b", *printed(needing(need), "24081 MiB"))
    assert verdict(told, "room") == "admissible"


def test_above_the_label_in_powers_of_two_is_excluded_on_the_label_alone(tmp_path):
    told = judged(tmp_path / "a", needing("25800000000 B"))
    assert verdict(told, "room") == "exclude"
    assert found(told, "room")["have"] == {
        "id": f"card.{GPU}.nominal_binary",
        "unit": "B",
        "basis": "declared",
        "bytes": 24 * GIB,
    }
    assert verdict(judged(tmp_path / "b", needing(f"{24 * GIB} B")), "room") == "to_confirm"


def test_a_module_sold_as_128_gb_is_two_devices_of_64(tmp_path):
    """100e9 bytes fit on neither, whatever the sum."""
    for cards in (1, 2):
        told = judged(tmp_path, needing("100000000000 B", MI250X, cards))
        assert {f["verdict"] for f in told["findings"] if f["kind"] == "capacity"} == {"exclude"}
        assert status(told) == "excluded"


def test_a_board_of_four_is_four_devices_of_16(tmp_path):
    told = judged(tmp_path, needing("40000000000 B", A16, 4))
    verdicts = [f["verdict"] for f in told["findings"] if f["kind"] == "capacity"]
    assert verdicts == ["exclude"] * 4


@pytest.mark.parametrize(
    ("need", "expected"),
    [
        ("23.64 GiB", "to_confirm"),
        ("23.63 GiB", "admissible"),
        ("23.65 GiB", "exclude"),
    ],
)
def test_a_need_inside_the_rounding_of_a_print_is_to_confirm(tmp_path, need, expected):
    fiche = needing(need, machine="node-1")
    fiche["pieces"] = [{"id": "oom", "file": "oom.log", "machine": "node-1"}]
    log = oom(total="23.64 GiB", own="23.10 GiB")
    told = judged(tmp_path, fiche, {**files(), "oom.log": log})
    # The message leaves a part unaccounted for: what the others hold is up to that.
    seen = found(told, "room")
    assert seen["have"] is not None
    assert seen["verdict"] == expected or (expected, seen["verdict"]) == (
        "admissible",
        "to_confirm",
    )
    alone = printed(needing(need), "23.64 GiB", "oom_total_capacity", "nearest")
    assert verdict(judged(tmp_path / "b", *alone), "room") == expected


def test_two_a40_of_one_name_by_the_system_tool_alone(tmp_path):
    """ECC on or off: 49e9 excludes the one, and leaves the other to confirm."""
    for shown, expected in (("46068 MiB", "exclude"), ("49140 MiB", "to_confirm")):
        case = printed(needing("49000000000 B", A40), shown, "nvidia_smi_total", "nearest")
        assert verdict(judged(tmp_path, *case), "room") == expected


def test_a_system_tool_never_admits(tmp_path):
    for counter in ("nvidia_smi_total", "rocm_smi_total", "provider_declared"):
        case = printed(needing("1 GiB"), "24564 MiB", counter, "exact")
        assert verdict(judged(tmp_path, *case), "room") == "to_confirm"


def test_a_print_that_names_no_machine_is_of_none(tmp_path):
    fiche, contents = printed(needing("1 GiB"), "24081 MiB", scope={"gpu": GPU})
    assert verdict(judged(tmp_path, fiche, contents), "room") == "to_confirm"


def test_a_seller_that_declares_less_than_is_needed_is_excluded(tmp_path):
    """The row of an offer bounds from above, in the words of its document; it never admits."""
    row = {"value": "46068 MiB", "counter": "nvidia_smi_total"}
    for need, expected in (("49000000000 B", "exclude"), ("40000000000 B", "to_confirm")):
        fiche = needing(need, A40, offer="offer-1")
        made = files(offers_yaml=_offer(A40, declared_memory=row))
        told = judged(tmp_path, fiche, {k: v for k, v in made.items() if k != "quote.txt"})
        assert verdict(told, "room") == expected
    need = f"{46068 * MIB + MIB // 4} B"  # within the rounding of what was printed
    fiche = needing(need, A40, offer="offer-1")
    assert verdict(judged(tmp_path, fiche, made), "room") == "to_confirm"


def _offer(gpu, **changes):
    from scenarios.story import offers

    return offers(gpu=gpu, **changes)


def test_a_print_a_thousand_times_too_small_is_a_wrong_unit(tmp_path):
    """`SizeInMiB: 80` of a card of 80 GB: a contradiction, and no exclusion."""
    case = printed(
        needing("40000000000 B", "nvidia-h100-pcie-80g"), "80 MiB", "provider_declared", "exact"
    )
    told = judged(tmp_path, *case)
    assert (verdict(told, "room"), found(told, "room")["reason_code"]) == ("to_confirm", "conflict")


def test_two_cards_for_one_need_without_a_placement_are_not_one_pool(tmp_path):
    """40e9 on two cards of 24 GB: each is judged by itself, and neither has the room."""
    told = judged(tmp_path, needing("40000000000 B", GPU, 2))
    assert [f["verdict"] for f in told["findings"] if f["kind"] == "capacity"] == ["exclude"] * 2


def test_the_totals_of_a_record_are_of_its_machine_and_devices(tmp_path):
    fiche = needing("24 GiB", cards=2, machine="node-7")
    fiche["pieces"] = [{"id": "run", "file": "run.json"}]
    seen = record(
        phase(devices=[device(0), device(1)]),
        devices=[visible(0), visible(1, total=23 * GIB)],
    )
    fiche["requirements"][0]["at_least"] = f"{24081 * MIB} B"
    told = judged(tmp_path, fiche, files(run_json=seen))
    assert verdict(told, "room", device="cuda:0") == "admissible"
    assert verdict(told, "room", device="cuda:1") == "exclude"


def test_a_guarantee_closes_what_a_message_leaves_open(tmp_path):
    """A message accounts for all but some 15 MB of the card: they may be others', unless none is let in."""
    fiche, contents = printed(needing(f"{24081 * MIB} B", other_users=None), "24081 MiB")
    fiche["pieces"].append({"id": "oom", "file": "oom.log", "machine": "node-1"})
    contents["oom.log"] = oom(own="23.01 GiB")
    told = judged(tmp_path, fiche, contents)
    assert verdict(told, "room") == "to_confirm"
    fiche["candidates"][0]["other_users"] = "none"
    told = judged(tmp_path, fiche, contents)
    assert (verdict(told, "room"), found(told, "room")["attested_by"]) == (
        "admissible",
        ["A. Martin"],
    )


def test_what_excludes_is_what_is_shown(tmp_path):
    """Of two totals the one that decides: 24081 MiB by the tool, though a message reads wider."""
    need = 24081 * MIB + 1
    fiche, contents = printed(needing(f"{need} B"), "24081 MiB", "nvidia_smi_total", "exact")
    fiche["pieces"].append({"id": "oom", "file": "oom.log", "machine": "node-1"})
    contents["oom.log"] = oom()
    told = judged(tmp_path, fiche, contents)
    seen = found(told, "room")
    assert (seen["verdict"], seen["have"]["bytes"], seen["margin"]["bytes"]) == (
        "exclude",
        24081 * MIB,
        -1,
    )
    label = found(judged(tmp_path, needing("25800000000 B")), "room")
    assert label["margin"]["bytes"] == 24 * GIB - 25_800_000_000


@pytest.mark.parametrize(
    ("gpu", "name"),
    [("nvidia-rtx-3090-24g", "NVIDIA GeForce RTX 3090"), (GPU, "NVIDIA GeForce RTX 3090")],
)
def test_the_total_of_another_card_of_the_machine_is_not_taken(tmp_path, gpu, name):
    """B1, C9: one machine may hold a 3090 and a 4090."""
    fiche = needing("23 GiB", machine="node-7")
    fiche["pieces"] = [{"id": "run", "file": "run.json"}]
    other = record(gpu=gpu, devices=[visible(name=name)])
    told = judged(tmp_path, fiche, files(run_json=other))
    assert (verdict(told, "room"), found(told, "room")["have"]["basis"]) == (
        "to_confirm",
        "declared",
    )
