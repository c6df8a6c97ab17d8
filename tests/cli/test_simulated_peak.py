"""What a simulation says of its largest peak: where the bytes are, and what a device of a capacity has left."""

import pytest
from simulate.scripted_simulation import GIB, document

from fiche.cli.simulated_peak import largest, left_of

WORDS = {"operator": "aten.mm.default", "source": {"file": "m.py", "line": 7}}


def alike(kind, num_bytes, count=1, module="lm_head"):
    shape = {"shape": [4096, 128256], "dtype": "float32"}
    return {**WORDS, **shape, "kind": kind, "bytes": num_bytes, "count": count, "module": module}


def told(*, capacity=None, reserved=9 * GIB, by="--capacity", **settings):
    found = document()
    found["peak"]["reserved_bytes"] = reserved
    found["allocator"]["settings"].update({"capacity_bytes": capacity, **settings})
    answer = {"asked": "torch.cuda.mem_get_info", "told": f"{capacity} B", "by": by}
    found["simulator"]["answers"] = [answer]
    return found


def said(found):
    return " ".join(" ".join(left_of(found)).split())


def test_the_largest_are_those_of_the_code_not_of_the_model():
    """Weights and states are in the table of kinds; a copy of logits in fp32 would be lost behind them."""
    found = told()
    found["phases"][1]["at_peak"]["largest"] = [
        alike("parameter", 5 * GIB, 32),
        alike("temporary", 2 * GIB),
        alike("cache", GIB, 64, "layers.*.self_attn"),
    ]
    rows = [line.split() for line in largest(found).splitlines()]
    where = ["aten.mm,", "lm_head,", "m.py:7"]
    assert ["2.00", "1", "temporary", "4096", "x", "128256", "float32", *where] in rows
    assert [row[1] for row in rows if "cache" in row] == ["64"]
    assert "parameter" not in largest(found)


def test_without_any_there_is_no_table():
    assert largest(told()) == ""


def test_a_capacity_says_what_is_left():
    assert said(told(capacity=24 * GIB)) == (
        "Of 24.00 GiB (--capacity), 15.00 GiB are left beyond the reserved peak, for what is in no figure "
        "here."
    )


def test_without_reserved_bytes_what_the_allocator_keeps_is_left_open():
    """Never more than is known: the largest reserved peak may lie in a phase that has none."""
    text = said(told(capacity=24 * GIB, reserved=None))
    assert "16.00 GiB are left beyond the allocated peak, for what the allocator keeps" in text


@pytest.mark.parametrize(("capacity", "over"), [(8 * GIB, "1.00 GiB"), (9 * GIB - 2**29, "0.50")])
def test_a_load_that_does_not_fit_is_said_to(capacity, over):
    text = said(told(capacity=capacity))
    assert f"the reserved peak takes {over}" in text
    assert text.endswith("by this computation the load does not fit.")


def test_an_endless_device_and_a_share_of_one_say_nothing():
    assert said(told()) == ""
    assert said(told(capacity=24 * GIB, per_process_memory_fraction="1/2")) == ""


def test_phases_of_one_row_show_the_largest_of_both_counters():
    """The pass with the largest allocated peak need not be the one with the largest reserved peak."""
    from fiche.cli.simulated_text import _grouped

    of = ("allocated_bytes", "reserved_bytes")
    phase = {**document()["phases"][0], "name": "backward", "pass": "later"}
    passes = [
        {**phase, **{name: {"peak": n} for name, n in zip(of, levels, strict=True)}}
        for levels in ((7, 8), (6, 9))
    ]
    ((row, times),) = _grouped(passes)
    assert (row["allocated_bytes"]["peak"], row["reserved_bytes"]["peak"], times) == (7, 9, 2)
    ((row, _),) = _grouped([passes[0], {**passes[1], "reserved_bytes": None}])
    assert row["reserved_bytes"] is None
