"""Buckets of DistributedDataParallel, worked by hand."""

import pytest
from simulate.placement.laid import WIDTH, blocks, named, placement, run

pytestmark = pytest.mark.torch

MATRIX = WIDTH * WIDTH * 4


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
