"""What a program's own Python does with tensors of the GPU that is not there."""

import copy

import pytest

pytestmark = pytest.mark.torch

MIB = 2**20


def test_a_deep_copy_takes_as_much_again_and_keeps_what_was_one():
    import torch

    from fiche.simulate.simulated import run

    seen = {}

    def program(rec):
        values = torch.zeros(MIB, dtype=torch.uint8, device="cuda")
        with rec.phase("copy"):
            one, other = copy.deepcopy([values, values])
            seen["device"], seen["shared"] = str(one.device), one is other

    found = run(program)
    (phase,) = found.phases()
    assert (phase.start_bytes, phase.peak_bytes) == (MIB, 2 * MIB)
    assert seen == {"device": "cuda:0", "shared": True}


def test_a_deep_copy_of_a_leaf_is_a_leaf_with_its_gradient():
    import torch

    from fiche.simulate.simulated import run

    seen = {}

    def program(rec):
        leaf = torch.zeros(4, device="cuda", requires_grad=True)
        leaf.sum().backward()
        copied = copy.deepcopy(leaf)
        seen["leaf"], seen["learns"] = copied.is_leaf, copied.requires_grad
        seen["gradient"] = copied.grad is not None and copied.grad is not leaf.grad

    run(program)
    assert seen == {"leaf": True, "learns": True, "gradient": True}


def levels(program):
    """What a program yields the level after, in MiB."""
    from fiche.simulate.simulated import run

    found = []

    def whole(rec):
        for _ in program():
            found.append(rec.ledger.live_bytes[0] / MIB)

    run(whole)
    return found


def test_a_deep_copy_of_views_takes_their_whole_storage_once():
    """As on a GPU: a slice of 2 KiB takes its storage's 1 MiB along, two views of one take it once."""
    import torch

    def program():
        whole = torch.zeros(512, 512, device="cuda")
        one = copy.deepcopy(whole[:1])
        yield one
        two = copy.deepcopy([whole, whole.view(-1), whole.t(), whole[1:2, 3:]])
        yield two
        assert [each.stride() for each in two] == [(512, 1), (1,), (1, 512), (512, 1)]
        assert two[3].storage_offset() == 515
        assert len({each.untyped_storage()._cdata for each in two}) == 1

    assert levels(program) == [2, 3]


def test_a_tensor_takes_the_values_of_one_on_another_device():
    import torch

    def program():
        weight = torch.nn.Parameter(torch.zeros(512, 512))
        yield weight
        weight.data = weight.data.to("cuda")
        assert weight.is_cuda
        assert weight.requires_grad
        yield weight
        weight.sum().backward()
        yield weight
        weight.data = torch.cat([weight.data, weight.data])
        yield weight

    # The last on one device: 2 MiB of weights, and the gradient stays.
    assert levels(program) == [0, 1, 2, 3]


def test_a_tensor_is_not_moved_away_from_its_gradient_unseen():
    import torch

    from fiche.simulate.refusal import NotSimulatedError

    def program():
        weight = torch.nn.Parameter(torch.zeros(512, 512, device="cuda"))
        weight.sum().backward()
        weight.data = weight.data.cpu()
        yield weight

    with pytest.raises(NotSimulatedError, match="away from its gradient"):
        levels(program)


def test_the_default_device_can_be_a_gpu():
    import torch

    def program():
        torch.set_default_device("cuda")
        try:
            made = torch.nn.Linear(512, 512, bias=False)
            assert made.weight.is_cuda
            yield made
        finally:
            torch.set_default_device(None)

    assert levels(program) == [1]


def test_what_hooks_of_autograd_make_on_the_device_counts():
    """A hook that packs what is saved is called within an operator, where no function is seen."""
    import torch

    def packed(tensor):
        return torch.empty(512, 1024, device=tensor.device)

    def program():
        values = torch.nn.Parameter(torch.zeros(512, 512, device="cuda"))
        with torch.autograd.graph.saved_tensors_hooks(packed, lambda made: made[:, :512]):
            made = values.sin()
        yield made

    assert levels(program) == [1 + 2 + 1]


def test_known_values_reach_numpy_as_they_are():
    """A mask or positions on the host are read by numpy: values, not the bytes at some address."""
    from fiche.simulate.simulated import run

    seen = []

    def program(rec):
        import torch

        seen.append(torch.arange(3).cuda().cpu().numpy().tolist())
        seen.append(torch.arange(3).mul(2).tolist())

    run(program)
    assert seen == [[0, 1, 2], [0, 2, 4]]
