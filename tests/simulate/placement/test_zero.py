"""ZeRO stages 1 and 2, worked by hand: four matrices of 256 x 256 in bf16 over four ranks."""

import pytest
from simulate.placement.laid import WIDTH, blocks, most, named, placement, run

pytestmark = pytest.mark.torch

VALUES = WIDTH * WIDTH
RANKS = 4


def program(stage, microbatches=1, steps=1, **words):
    from fiche.simulate.placement.sharing import shared

    def loop(rec):
        import torch

        told = placement(devices=RANKS, sharding=stage, **words)
        model = blocks(bias=False).to(torch.bfloat16)
        adam = lambda each: torch.optim.AdamW(each, foreach=False)  # noqa: E731
        model, optimizer, sharing = shared(model, rec.ledger, told, microbatches, adam)
        backward = sharing.around(lambda loss: loss.backward())
        for _ in range(steps):
            for _ in range(microbatches):
                with rec.phase("backward"):
                    values = torch.empty(2, WIDTH, device="cuda", dtype=torch.bfloat16)
                    backward(model(values).sum())
                    del values
            with rec.phase("update"):
                optimizer.step()
                optimizer.zero_grad()

    return loop


@pytest.mark.parametrize("stage", ["zero1", "zero2"])
def test_weights_are_whole_and_states_are_of_a_partition(stage):
    simulation = run(program(stage, reduce_bucket_size=VALUES))
    assert named(simulation, "zero.flat_parameters") == [4 * VALUES * 2]
    assert named(simulation, "zero.master_partition") == [VALUES * 4]
    assert named(simulation, "zero.partition_gradient") == [VALUES * 4]
    assert named(simulation, "zero.first_gradient") == [VALUES * 4]
    assert named(simulation, "zero.reduce_bucket") == [VALUES * 2]
    assert named(simulation, "zero.gradient_norm") == [VALUES * 8]
    states = [each for each in _of_kind(simulation, "optimizer_state") if each > 512]
    assert states == [VALUES * 4] * 2


def _of_kind(simulation, kind):
    table = simulation.entries
    return [n for n, each in zip(table.num_bytes, table.kinds, strict=True) if each == kind]


def test_flat_parameters_are_padded_to_twice_the_ranks():
    """Three blocks with biases and a head: 4 x 65536 + 3 x 256 is 262912; a multiple of 2 x 5: 262920."""
    from fiche.simulate.placement.sharing import shared

    def program(rec):
        import torch

        told = placement(devices=5, sharding="zero1")
        model = blocks().to(torch.bfloat16)
        shared(model, rec.ledger, told, 1, torch.optim.SGD)

    simulation = run(program)
    assert named(simulation, "zero.flat_parameters") == [262920 * 2]
    assert named(simulation, "zero.master_partition") == [262920 // 5 * 4]


def test_stage_2_lets_go_of_gradients_as_they_come_and_stage_1_behind():
    """Whole gradients: one at a time beside the bucket in stage 2, all four in stage 1."""
    first, second = (
        next(run(program(stage, reduce_bucket_size=VALUES)).phases())
        for stage in ("zero1", "zero2")
    )
    held = [
        sum(group.num_bytes for group in each.groups if group.kind == "gradient")
        for each in (first, second)
    ]
    # Stage 1: all whole, then the bucket and the partition's own in turn; stage 2: one, bucket, own.
    assert held[0] >= 4 * VALUES * 2 + VALUES * 2
    assert held[1] <= 3 * VALUES * 2


def test_two_buckets_where_communication_overlaps():
    simulation = run(program("zero2", reduce_bucket_size=VALUES, overlap_comm="yes"))
    assert most(simulation, "zero.reduce_bucket") == 2 * VALUES * 2


def test_later_microbatches_of_stage_2_add_to_the_gradients_of_the_partition():
    simulation = run(program("zero2", microbatches=3, reduce_bucket_size=VALUES))
    assert named(simulation, "zero.partition_gradients") == [VALUES * 2] * 3
    assert most(simulation, "zero.partition_gradients") == 2 * VALUES * 2


def test_states_on_the_host_leave_no_master_copy_on_the_device():
    simulation = run(program("zero2", reduce_bucket_size=VALUES, offload="optimizer"))
    assert named(simulation, "zero.master_partition") == []
    assert named(simulation, "zero.partition_gradients") == []
    assert named(simulation, "zero.gradient_to_host") == [VALUES * 2]


def test_an_unset_bucket_is_that_of_deepspeed():
    """500,000,000 values of bf16, whatever the model's own bytes."""
    assert named(run(program("zero2")), "zero.reduce_bucket") == [1_000_000_000]
