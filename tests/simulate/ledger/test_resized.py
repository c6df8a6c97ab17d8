"""Storages that become larger or smaller: by operators that give a result a place, and by themselves."""

import pytest

pytestmark = pytest.mark.torch

MIB = 2**20


def levels(program, rules="cuda"):
    """What a program yields the level after, in MiB."""
    from fiche.simulate.simulated import run

    found = []

    def whole(rec):
        for _ in program("cuda" if rules == "cuda" else "cpu"):
            found.append(rec.ledger.live_bytes[0] / MIB)

    return found, run(whole, rules=rules)


@pytest.mark.parametrize("rules", ["cuda", "memtracker"])
def test_an_empty_place_for_a_result_takes_the_result_s_bytes(rules):
    import torch

    def program(device):
        one, other = (torch.randn(512, 512, device=device) for _ in range(2))
        for _ in range(2):  # what is remembered of an operator too
            place = torch.empty(0, device=device)
            assert torch.mul(one, other, out=place) is place
            yield place
            torch.mul(one[:1], other[:1], out=place.resize_(0))
            yield place
            del place
            yield one

    # A place that shrinks keeps its bytes.
    assert levels(program, rules)[0] == [3, 3, 2, 3, 3, 2]


def test_a_tensor_that_grows_has_both_storages_while_it_is_copied():
    import torch

    def program(device):
        one = torch.empty(512, 512, device=device)
        yield one
        one.resize_(1024, 512)
        yield one
        one.resize_(256, 512)
        yield one

    found, simulation = levels(program)
    assert found == [1, 2, 2]
    assert simulation.peak_bytes() == 3 * MIB


@pytest.mark.parametrize("rules", ["cuda", "memtracker"])
def test_a_storage_gives_its_bytes_back_and_takes_them_again(rules):
    """As layers that are sharded do: the tensor, and all that autograd saved of it, stays."""
    import torch

    def program(device):
        one, none = torch.empty(512, 512, device=device), torch.empty(0, device=device)
        view = one.view(-1)
        one.untyped_storage().resize_(0)
        yield view
        one.untyped_storage().resize_(MIB)
        yield view
        none.untyped_storage().resize_(2 * MIB)
        yield none
        del one
        none.untyped_storage().resize_(0)
        yield view
        del view, none
        yield None

    assert levels(program, rules)[0] == [0, 1, 3, 1, 0]
