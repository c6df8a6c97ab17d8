"""Alike tensors as one group, whatever their names are made of."""

import re
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from fiche.checkpoints._tensors import Tensor, grouped, pattern
from fiche.kernel.checkpoint import TensorGroup

A, B = Tensor("BF16", (4, 2), 16), Tensor("F32", (2,), 8)


def columns(named):
    return [name for name, _ in named], [tensor for _, tensor in named]


def group(name, tensor, count, *layers):
    return TensorGroup(
        name=name,
        dtype=tensor.dtype,
        shape=tensor.shape,
        count=count,
        num_bytes=tensor.num_bytes,
        layers=layers,
    )


def test_layers_and_experts_are_counted_and_layers_are_told():
    named = [
        (f"model.layers.{layer}.experts.{one}.up.weight", A)
        for layer in (3, 1, 10)
        for one in range(4)
    ]
    assert grouped(*columns(named)) == (
        group("model.layers.*.experts.*.up.weight", A, 12, 1, 3, 10),
    )


def test_another_dtype_or_shape_is_another_group():
    """Layers stored in another format must not hide behind the first one (estimators.md 2.4)."""
    wide = Tensor("BF16", (8, 1), 16)
    named = [("h.0.w", A), ("h.1.w", B), ("h.2.w", A), ("h.3.w", wide)]
    assert grouped(*columns(named)) == (
        group("h.*.w", A, 2, 0, 2),
        group("h.*.w", wide, 1, 3),
        group("h.*.w", B, 1, 1),
    )


def test_numbers_are_whole_words_of_a_name():
    """fc1 and fc2, w1 and w3 are different tensors, also where their shapes are the same."""
    names = ["h.0.fc1", "h.0.fc2", "0.weight", "1.weight", "conv1", "a.12", "a.x12", "b.1234567890"]
    assert [(each.name, each.count, each.layers) for each in grouped(names, [A] * len(names))] == [
        ("*.weight", 2, (0, 1)),
        ("a.*", 1, (12,)),
        ("a.x12", 1, ()),
        ("b.1234567890", 1, ()),
        ("conv1", 1, ()),
        ("h.*.fc1", 1, (0,)),
        ("h.*.fc2", 1, (0,)),
    ]


names = st.text("ab.01*\n5", max_size=8)


@given(st.dictionaries(names, st.sampled_from([A, B]), max_size=12))
def test_nothing_is_lost_and_order_is_that_of_names(tensors):
    groups = grouped(tensors.keys(), tensors.values())
    assert sum(each.count for each in groups) == len(tensors)
    assert Counter((pattern(name), tensor.dtype) for name, tensor in tensors.items()) == {
        (each.name, each.dtype): each.count for each in groups
    }
    assert [(each.name, each.dtype) for each in groups] == sorted(
        (each.name, each.dtype) for each in groups
    )
    assert groups == grouped(*columns(list(reversed(tensors.items()))))


@given(names)
def test_a_pattern_is_the_name_with_its_numbers_left_out(name):
    words = [re.sub(r"\A[0-9]{1,9}\Z", "*", word) for word in name.split(".")]
    if "\n" not in name:
        assert pattern(name) == ".".join(words)
