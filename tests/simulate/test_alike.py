"""Allocations of equal layers are one row: 32 layers do not push all else off the list of the largest."""

import pytest

pytestmark = pytest.mark.torch


def group(module, num_bytes, *, kind="activation", line=7, shape=(4, 8)):
    from fiche.simulate.ledger.origins import Origin
    from fiche.simulate.simulation import Group

    return Group(kind, num_bytes, 1, Origin("aten.mm", module, "m.py", line), shape, "bfloat16")


def rows(*groups):
    from fiche.simulate.alike import alike

    return [(each.origin.module, each.num_bytes, each.count) for each in alike(groups)]


def test_equal_layers_are_one_row_the_largest_first():
    layers = (group(f"layers.{n}.mlp", 20) for n in range(3))
    assert rows(group("lm_head", 50), *layers) == [("layers.*.mlp", 60, 3), ("lm_head", 50, 1)]


def test_one_alone_keeps_its_path():
    assert rows(group("layers.31.mlp", 20)) == [("layers.31.mlp", 20, 1)]


@pytest.mark.parametrize("change", [{"kind": "cache"}, {"line": 8}, {"shape": (8, 4)}])
def test_what_differs_otherwise_stays_apart(change):
    assert len(rows(group("layers.0.mlp", 20), group("layers.1.mlp", 20, **change))) == 2
