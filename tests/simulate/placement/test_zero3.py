"""ZeRO stage 3, worked by hand: four matrices of 256 x 256 in bf16 over four ranks."""

import pytest
from simulate.placement.laid import WIDTH, blocks, most, named, placement, run

pytestmark = pytest.mark.torch

VALUES = WIDTH * WIDTH
RANKS = 4
TIGHT = {
    "reduce_bucket_size": VALUES,
    "stage3_prefetch_bucket_size": 0,
    "stage3_max_reuse_distance": 0,
    "stage3_param_persistence_threshold": 0,
}


def program(steps=1, bias=False, **words):
    from fiche.simulate.placement.sharing import shared

    def loop(rec):
        import torch

        told = placement(devices=RANKS, sharding="zero3", **words)
        model = blocks(bias=bias).to(torch.bfloat16)
        adam = lambda each: torch.optim.AdamW(each, foreach=False)  # noqa: E731
        model, optimizer, sharing = shared(model, rec.ledger, told, 1, adam)
        backward = sharing.around(lambda loss: loss.backward())
        for _ in range(steps):
            with rec.phase("forward"):
                loss = model(torch.empty(2, WIDTH, device="cuda", dtype=torch.bfloat16)).sum()
            with rec.phase("backward"):
                backward(loss)
                del loss
            with rec.phase("update"):
                optimizer.step()
                optimizer.zero_grad()

    return loop


def test_nothing_is_whole_on_a_rank():
    simulation = run(program(**TIGHT))
    assert named(simulation, "zero3.flat_partitions") == [VALUES * 2]
    assert named(simulation, "zero3.master_partition") == [VALUES * 4]
    assert named(simulation, "zero3.master_converted") == [VALUES * 4]
    assert named(simulation, "zero3.gradient_partitions") == [VALUES * 2]
    assert named(simulation, "zero3.reduce_bucket") == [VALUES * 2]
    assert most(simulation, "zero3.whole_parameter") == VALUES * 2


def test_each_matrix_is_gathered_forward_and_backward():
    """Four of them; the one of the head is whole in its own backward pass as in its forward one."""
    simulation = run(program(**TIGHT))
    assert named(simulation, "zero3.whole_parameter") == [VALUES * 2] * 8
    assert named(simulation, "zero3.all_gather") == []


def test_from_the_second_pass_on_the_next_matrix_is_fetched_ahead():
    ahead = {**TIGHT, "stage3_prefetch_bucket_size": VALUES}
    once, twice = (run(program(steps=steps, **ahead)) for steps in (1, 2))
    assert most(once, "zero3.whole_parameter") == VALUES * 2
    assert most(twice, "zero3.whole_parameter") > VALUES * 2


def test_what_is_used_again_soon_stays():
    """Within DeepSpeed's own distance of 10^9 values all of this model is used again."""
    told = {name: value for name, value in TIGHT.items() if name != "stage3_max_reuse_distance"}
    simulation = run(program(steps=2, **told))
    assert most(simulation, "zero3.whole_parameter") == 4 * VALUES * 2


def test_live_parameters_bound_what_is_fetched_ahead():
    told = {**TIGHT, "stage3_prefetch_bucket_size": 4 * VALUES}
    free = run(program(steps=2, **told))
    bound = run(program(steps=2, **told, stage3_max_live_parameters=2 * VALUES))
    assert most(bound, "zero3.whole_parameter") < most(free, "zero3.whole_parameter")


def test_small_parameters_stay_whole_between_steps():
    """First each bias comes with its matrix, through a buffer of both; behind the update all three at once."""
    told = {**TIGHT, "stage3_param_persistence_threshold": WIDTH}
    buffers = named(run(program(bias=True, **told)), "zero3.all_gather")
    assert buffers[:3] == [(VALUES + WIDTH) * 2] * 3
    assert buffers[-1] == 3 * WIDTH * 2


def test_gradients_are_scattered_from_a_buffer_unless_one_is_alone():
    alone = run(program(**TIGHT))
    together = run(program(**{**TIGHT, "reduce_bucket_size": 2 * VALUES}))
    assert named(alone, "zero3.reduce_scatter") == []
    assert named(together, "zero3.reduce_scatter") == [2 * VALUES * 2] * 2


def test_sub_groups_are_updated_one_after_another():
    """A partition of a matrix is a quarter of it; two to a group are two groups."""
    simulation = run(program(**TIGHT, sub_group_size=VALUES // 2))
    assert named(simulation, "zero3.master_partition") == [VALUES * 2] * 2
    assert most(simulation, "zero3.partition_gradient") == VALUES * 2


def test_parameters_on_the_host_are_sent_as_they_are_used():
    simulation = run(program(**TIGHT, offload="parameters"))
    assert named(simulation, "zero3.flat_partitions") == []
    assert named(simulation, "zero3.master_partition") == []
    assert named(simulation, "zero3.partition_from_host") == [VALUES // RANKS * 2] * 8
