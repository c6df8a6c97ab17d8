"""Buckets of DistributedDataParallel, worked by hand."""

from unittest.mock import patch

import pytest
from simulate.placement.laid import WIDTH, blocks, named, placement, run

pytestmark = pytest.mark.torch

MATRIX = WIDTH * WIDTH * 4
_SHAPES = "torch.nn.parallel.distributed._verify_param_shape_across_processes"


def program(steps=2, **words):
    from fiche.simulate.placement.sharing import shared

    def loop(rec):
        import torch

        told = placement(devices=2, **words)
        model, _, sharing = shared(blocks(bias=False), rec.ledger, told, 1, None)
        backward = sharing.around(lambda loss: loss.backward())
        for _ in range(steps):
            with rec.phase("step"):
                backward(model(torch.empty(2, WIDTH, device="cuda")).sum())
            with rec.phase("kept"):
                pass
            for parameter in model.parameters():
                parameter.grad = None
        with rec.phase("end"):
            pass

    return loop


def ends(simulation, name):
    return [each.end_bytes for each in simulation.phases() if each.name == name]


def test_the_first_pass_has_one_bucket_and_later_ones_several():
    """Four gradients of 256 KiB: then buckets of two, closed at 512 KiB, and of one at least."""
    simulation = run(program(first_bucket_bytes=MATRIX, bucket_bytes=2 * MATRIX))
    assert named(simulation, "ddp.bucket") == [4 * MATRIX, MATRIX, 2 * MATRIX, MATRIX]


def test_buckets_lie_beside_the_gradients_all_the_time():
    simulation = run(program())
    # Parameters, their bucket; beside them the gradients until they go.
    workspace = ends(simulation, "end")[0] - 8 * MATRIX
    assert ends(simulation, "kept")[-1] - workspace == 12 * MATRIX


def test_gradients_that_are_views_take_nothing_of_their_own():
    simulation = run(program(bucket_view="yes"))
    workspace = ends(simulation, "end")[0] - 8 * MATRIX
    assert ends(simulation, "kept")[-1] - workspace == 8 * MATRIX


def test_parameters_are_broadcast_in_one_flat_copy():
    assert named(run(program()), "ddp.broadcast") == [4 * MATRIX]


def one_step(rec, model, backward):
    import torch

    with rec.phase("forward"):
        loss = model(torch.empty(2, WIDTH, device="cpu")).sum()
    with rec.phase("backward"):
        backward(loss)
        del loss
    with rec.phase("zero"):
        for parameter in model.parameters():
            parameter.grad = None


def theirs(bucket_view):
    """PyTorch's own reducer on fake tensors; its collective is answered at once by the bucket itself."""
    import torch

    def answered(_, bucket):
        future = torch.futures.Future()
        future.set_result(bucket.buffer())
        return future

    def program(rec):
        model = blocks()
        with rec.phase("make"), patch(_SHAPES, lambda *_, **__: True):
            wrapped = torch.nn.parallel.DistributedDataParallel(
                model, gradient_as_bucket_view=bucket_view
            )
        wrapped.register_comm_hook(None, answered)
        one_step(rec, wrapped, lambda loss: loss.backward())

    return program


def ours(bucket_view):
    from fiche.simulate.placement.replicated import Buckets

    def program(rec):
        model = blocks()
        told = placement(devices=2, bucket_view="yes" if bucket_view else "no")
        with rec.phase("make"):
            buckets = Buckets(model, rec.ledger, told, 1)
        one_step(rec, model, buckets.around(lambda loss: loss.backward()))

    return program


@pytest.fixture
def group():
    """Two ranks of which none talks: PyTorch's own stand-in for a process group."""
    import torch.distributed as distributed
    from torch.testing._internal.distributed.fake_pg import FakeStore

    distributed.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
    yield
    distributed.destroy_process_group()


@pytest.mark.parametrize("bucket_view", [False, True])
@pytest.mark.usefixtures("group")
def test_the_first_step_takes_what_that_of_pytorch_takes_to_the_byte(bucket_view):
    """No more than the first: to rebuild its buckets, the reducer asks for values."""
    found = [
        [(each.name, each.start_bytes, each.peak_bytes, each.end_bytes) for each in one.phases()]
        for one in (
            run(theirs(bucket_view), rules="memtracker"),
            run(ours(bucket_view), rules="memtracker"),
        )
    ]
    assert found[0] == found[1]
    assert len(found[0]) == 4
