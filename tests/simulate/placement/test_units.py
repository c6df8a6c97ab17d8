"""Which parameters a unit has."""

import pytest

pytestmark = pytest.mark.torch


def tied():
    import torch

    class Block(torch.nn.Linear):
        pass

    class Model(torch.nn.Module):
        _no_split_modules = ("Block",)

        def __init__(self):
            super().__init__()
            self.table = torch.nn.Embedding(8, 4)
            self.layers = torch.nn.ModuleList(Block(4, 4) for _ in range(2))
            self.head = torch.nn.Linear(4, 8, bias=False)
            self.head.weight = self.table.weight

    return Model()


def test_units_are_blocks_from_the_last_to_the_first():
    from fiche.simulate.placement.units import layers_of

    model = tied()
    assert layers_of(model) == [model.layers[1], model.layers[0]]


def test_a_model_without_blocks_is_one_unit():
    import torch

    from fiche.simulate.placement.units import layers_of

    assert layers_of(torch.nn.Linear(2, 2)) == []


def test_the_root_has_what_no_block_has_and_a_tied_parameter_once():
    from fiche.simulate.placement.units import layers_of, owners_of

    model = tied()
    owners = owners_of((*layers_of(model), model))
    assert [len(owned) for _, owned in owners] == [2, 2, 1]
    (one,) = owners[-1][1]
    assert [(type(module).__name__, name) for module, name in one.places] == [
        ("Embedding", "weight"),
        ("Linear", "weight"),
    ]


def test_another_parameter_goes_to_all_places():
    import torch

    from fiche.simulate.placement.units import owners_of

    model = tied()
    (one,) = [each for each in owners_of([model])[0][1] if len(each.places) == 2]
    other = torch.nn.Parameter(torch.zeros(8, 4))
    one.register(other)
    assert model.table.weight is other
    assert model.head.weight is other


def test_tensors_are_changed_where_they_lie_and_nothing_else():
    import torch

    from fiche.simulate.placement.units import replaced, tensors_in

    one, two, kept = torch.zeros(1), torch.zeros(1), object()
    given = (one, {"a": [two, kept]}, 3)
    assert [each is other for each, other in zip(tensors_in(given), (one, two), strict=True)] == [
        True,
        True,
    ]
    changed = replaced(given, lambda tensor: tensor + 1)
    assert float(changed[0]) == float(changed[1]["a"][0]) == 1
    assert changed[1]["a"][1] is kept
    assert changed[2] == 3
