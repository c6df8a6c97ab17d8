"""The conservative envelope and the formats table: sums that say what they leave out (B2, B3, B7, B8)."""

from fractions import Fraction

import pytest
from workloads import GIB, LLAMA, case, reserve, workload

from fiche.estimators import envelope, formats_table, load_items
from fiche.kernel.doors import Estimator
from fiche.kernel.trace import assumptions, firm, formula
from fiche.registry import members

ESTIMATORS = members("fiche.estimators", Estimator)
SEVEN = {"model__parameters": 7_000_000_000, "formats__storage": "bf16"}


def summed(where=None, reserve=(), **told):
    load = workload(*([where] if where else []), reserve=reserve, **told)
    return envelope(load, where, load_items(load, where, ESTIMATORS))


def in_gib(value):
    return round(Fraction(value, GIB), 2)


@pytest.mark.parametrize(
    ("assumed", "bytes_", "gib"),
    [
        (4 * GIB, 18_294_967_296, Fraction("17.04")),
        (6 * GIB, 20_442_450_944, Fraction("19.04")),
        (4 * 10**9, 18_000_000_000, Fraction("16.76")),
    ],
)
def test_weights_and_an_assumed_reserve(assumed, bytes_, gib):
    """B2: 17.04 with 4 GiB, 19.04 with 6 GiB, and 16.76 with 4 GB: kept apart."""
    node = summed(reserve=[reserve("chosen", assumed)], **SEVEN)
    assert (node.id, node.low, node.high) == ("envelope", bytes_, bytes_)
    assert in_gib(node.low) == gib


def test_a_reserve_is_an_assumption_all_the_way_up():
    """B2, B7: the reserve says so, and its sum is not firm."""
    node = summed(reserve=[reserve("chosen", 4 * GIB)], **SEVEN)
    assert [item.id for item in assumptions(node)] == ["reserve.chosen"]
    assert not firm(node)


def test_it_is_called_what_it_is():
    """B7: a sum of independent maxima, never an observed peak."""
    assert summed(**SEVEN).label == (
        "conservative envelope (a sum of independent maxima, never an observed peak)"
    )


def test_what_it_does_not_include_stands_with_it():
    """B8, each of the five."""
    left_out = " | ".join(summed(**SEVEN).left_out)
    for words in (
        "quantisation metadata",
        "modules kept in another format",
        "working memory: unknown",
        "transient loading",
        "uses outside the process",
    ):
        assert words in left_out


def test_working_memory_in_the_reserve_leaves_what_exceeds_it():
    node = summed(reserve=[reserve("workspace", GIB)], **SEVEN)
    assert "working memory beyond the reserve" in node.left_out
    assert node.low == 14_000_000_000 + GIB


def test_a_computed_cache_is_in_and_an_unknown_one_is_named_out():
    full = case(context_tokens=8192, resident_sequences=1)
    node = summed(full, **LLAMA)
    assert (node.id, node.low) == ("limit.envelope", 14_000_000_000 + GIB)
    assert formula(node) == "limit.kv_cache + weights"
    bare = summed(case(context_tokens=8192), **LLAMA)
    assert bare.low == bare.high == 14_000_000_000
    assert any("KV cache" in text and "resident_sequences" in text for text in bare.left_out)


def test_unknown_weights_open_the_envelope():
    """An envelope without weights would promise more than it holds."""
    node = summed(reserve=[reserve("chosen", GIB)])
    assert (node.low, node.high) == (GIB, None)


def test_a_training_multiplies_nothing_and_asks_its_items():
    """B6: the sum stays that of the weights; every other item is a named question."""
    node = summed(case(), operation="training", **SEVEN)
    assert node.low == node.high == 14_000_000_000
    left_out = " | ".join(node.left_out)
    for item in ("gradients", "optimizer states", "activations", "buffers", "temporaries"):
        assert f"{item}: unknown" in left_out


def test_without_an_operation_what_one_would_add_is_named():
    """B2: weights are neither activations, gradients, KV cache nor optimizer states."""
    assert any("no operation is stated" in text for text in summed(**SEVEN).left_out)
    assert not any("no operation" in text for text in summed(**LLAMA).left_out)


def test_the_formats_table_keeps_one_reserve():
    """B3: 32, 16, 8, 4 bits; the effect of the arithmetic only."""
    load = workload(model__parameters=7_000_000_000, reserve=[reserve("chosen", 4 * GIB)])
    rows = [(row.bits, row.weights.low, row.with_reserve.low) for row in formats_table(load)]
    assert rows == [
        (32, 28_000_000_000, 28_000_000_000 + 4 * GIB),
        (16, 14_000_000_000, 18_294_967_296),
        (8, 7_000_000_000, 7_000_000_000 + 4 * GIB),
        (4, 3_500_000_000, 3_500_000_000 + 4 * GIB),
    ]


def test_the_formats_table_says_that_no_line_is_a_peak():
    load = workload(model__parameters=7)
    assert all("no line is a peak" in row.with_reserve.label for row in formats_table(load))
    assert formats_table(workload()) == ()
