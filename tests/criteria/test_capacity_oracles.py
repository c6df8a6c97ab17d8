"""Real prints of real cards, through the whole decision: the oracles of catalog.md, section 10 (B1, D4).

Each need is asked twice: as a stated capacity, and as the weights of a pinned model that must be resident, with
a run of it whose peak is that very need. What the label or a print excludes, it excludes for both.
"""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    GIB,
    MACHINE,
    MIB,
    TO_CONFIRM,
    capacity,
    catalog_cards,
    decision,
    of_catalog,
    outcome,
    piece,
    pinned,
    run,
    total,
    used,
    workload,
)

L4, RTX4090, A40 = "nvidia-l4-24g", "nvidia-rtx-4090-24g", "nvidia-a40-48g"
MI250X, A16 = "amd-mi250x-gcd-64g", "nvidia-a16-16g"
LABELS_24 = [c.id for c in catalog_cards() if c.figures["nominal"].low == 24 * 10**9]
STRUCTURE = {"model__layers": None, "model__kv_heads": None, "model__head_dim": None}


def heavy(need, **changes):
    """A model whose bf16 weights are the need, and whose cache nobody can compute."""
    return pinned(workload(model__parameters=need // 2, **{**STRUCTURE, **changes}))


def judged(need, gpu, *prints, cards=1, machine=MACHINE, **placement):
    """The verdicts of both questions on one offered machine, and the status of the candidate."""
    load = heavy(need, **placement)
    on = of_catalog(gpu, load=load, cards=cards, machine=machine)
    ran = piece("run", machine="elsewhere", runs=[run(used(need), load=load, gpu=gpu)])
    made = decision([on], [ran, *prints], [capacity(need)], load=load)
    kinds = {
        kind: {found.verdict for found in made.findings if found.kind == kind}
        for kind in ("capacity", "memory")
    }
    assert all(len(verdicts) == 1 for verdicts in kinds.values())
    status = outcome(made, "rent").status
    assert (status == "excluded") is (EXCLUDE in {v for vs in kinds.values() for v in vs})
    return kinds["capacity"].pop(), kinds["memory"].pop()


def printed(value, counter="torch_total_memory", id="print", machine=MACHINE):
    return piece(id, machine=machine, totals=[total(value, counter=counter, others=0)])


BOTH = {verdict: (verdict, verdict) for verdict in (ADMISSIBLE, TO_CONFIRM, EXCLUDE)}


@pytest.mark.parametrize("gpu", LABELS_24)
def test_23_9e9_is_to_confirm_on_any_label_of_24_gb(gpu):
    """Neither does the decimal reading admit it (24e9), nor any reading exclude it."""
    assert judged(23_900_000_000, gpu) == BOTH[TO_CONFIRM]


def test_24_gb_is_on_many_labels():
    assert len(LABELS_24) >= 8


def test_23_9e9_is_excluded_once_the_offered_l4_printed_22693_mib():
    """22693 MiB are 23.795e9 bytes, cut down: at most 22694 MiB less one byte."""
    assert 22694 * MIB - 1 < 23_900_000_000
    assert judged(23_900_000_000, L4, printed("22693 MiB")) == BOTH[EXCLUDE]
    elsewhere = printed("22693 MiB", machine="elsewhere")
    assert judged(23_900_000_000, L4, elsewhere) == BOTH[TO_CONFIRM]


def test_23_9e9_is_admissible_once_a_4090_printed_24081_mib():
    assert judged(23_900_000_000, RTX4090, printed("24081 MiB")) == BOTH[ADMISSIBLE]


def test_25_0e9_is_where_the_decimal_convention_would_exclude():
    """24 GB read as 24e9 is below it; the 4090 that printed 24081 MiB holds it."""
    assert 24 * 10**9 < 25_000_000_000 < 24081 * MIB
    assert judged(25_000_000_000, RTX4090) == BOTH[TO_CONFIRM]
    assert judged(25_000_000_000, RTX4090, printed("24081 MiB")) == BOTH[ADMISSIBLE]


def test_25_8e9_is_above_24_times_2_to_the_30():
    assert 24 * GIB < 25_800_000_000
    assert judged(25_800_000_000, RTX4090) == BOTH[EXCLUDE]
    assert judged(24 * GIB, RTX4090) == BOTH[TO_CONFIRM]


@pytest.mark.parametrize("cards", [1, 2])
def test_100e9_is_excluded_on_the_mi250x_sold_as_128(cards):
    """Each of its devices shows 65520 MB, and its label is 64."""
    seen = printed("65520 MiB", id="a"), printed("65520 MiB", id="b", machine="elsewhere")
    assert judged(100_000_000_000, MI250X, cards=cards) == BOTH[EXCLUDE]
    assert judged(100_000_000_000, MI250X, *seen, cards=cards) == BOTH[EXCLUDE]


def test_100e9_placed_on_both_devices_of_an_mi250x_is_another_question():
    """D4: with a stated placement the load of each device is compared; the capacity of one is not the sum."""
    split = {"placement__devices": 2, "placement__split": "tensor_parallel"}
    asked, memory = judged(100_000_000_000, MI250X, cards=2, **split)
    assert (asked, memory) == (EXCLUDE, TO_CONFIRM)


@pytest.mark.parametrize("cards", [1, 4])
def test_40e9_is_excluded_on_the_a16(cards):
    """Four devices of 16 are not one of 64."""
    assert judged(40_000_000_000, A16, cards=cards) == BOTH[EXCLUDE]


def test_23_64_gib_against_an_oom_print_of_23_64_gib_is_inside_the_rounding():
    """Two decimals: some 5.4e6 bytes each way."""
    need = int(23.64 * GIB)
    seen = printed("23.64 GiB", "oom_total_capacity")
    assert judged(need, RTX4090, seen) == BOTH[TO_CONFIRM]
    assert judged(need - 5_500_000, RTX4090, seen) == BOTH[ADMISSIBLE]
    assert judged(need + 5_500_000, RTX4090, seen) == BOTH[EXCLUDE]


def test_two_a40_offers_part_on_nvidia_smi_alone():
    """ECC on: 46068 MiB are 48.306e9. Off: 49140 MiB are 51.527e9, of which a framework sees less."""
    need = 49_000_000_000
    on = printed("46068 MiB", "nvidia_smi_total", id="on", machine="host-1")
    off = printed("49140 MiB", "nvidia_smi_total", id="off", machine="host-2")
    assert judged(need, A40, on, off, machine="host-1") == BOTH[EXCLUDE]
    assert judged(need, A40, on, off, machine="host-2") == BOTH[TO_CONFIRM]
