"""One rank of fully sharded training: as PyTorch's own `fully_shard`, and bytes worked by hand."""

from unittest.mock import patch

import pytest
from simulate.placement.laid import WIDTH, blocks, most, named, placement, run

pytestmark = pytest.mark.torch

RANKS = 4


def loop(rec, model, microbatches=1, synchronised=None):
    """Two updates, an evaluation in each; gradients go at the end."""
    import torch

    place = "cpu" if rec.ledger.rules == "memtracker" else "cuda"
    for _ in range(2):
        for number in range(microbatches):
            if synchronised is not None:
                synchronised(number == microbatches - 1)
            with rec.phase("forward"):
                loss = model(torch.empty(2, model.head.weight.shape[1], device=place)).sum()
            with rec.phase("backward"):
                loss.backward()
                del loss
        with rec.phase("evaluation"), torch.no_grad():
            model(torch.empty(2, model.head.weight.shape[1], device=place))
        with rec.phase("zero"):
            for parameter in model.parameters():
                parameter.grad = None


def ours(width, words, microbatches, checkpointed=False):
    from fiche.simulate.placement.fully_sharded import share_out

    def program(rec):
        told = placement(devices=RANKS, sharding="fsdp", **words)
        model = blocks(width=width, checkpointed=checkpointed)
        loop(rec, share_out(model, rec.ledger, told, microbatches), microbatches)

    return program


@pytest.fixture
def mesh():
    """Four ranks of which none talks: PyTorch's own stand-in for a process group."""
    import torch.distributed as distributed
    from torch.distributed.device_mesh import init_device_mesh
    from torch.testing._internal.distributed.fake_pg import FakeStore

    distributed.init_process_group("fake", rank=0, world_size=RANKS, store=FakeStore())
    yield init_device_mesh("cpu", (RANKS,))
    distributed.destroy_process_group()


def theirs(width, policy, microbatches, checkpointed, mesh):
    """PyTorch's own code; it empties storages beneath tensors, which no operator shows."""
    import torch
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
    from torch.distributed.fsdp._fully_shard import _fsdp_param

    from fiche.simulate.placement import storages

    def program(rec):
        ledger = rec.ledger
        model = blocks(width=width, checkpointed=checkpointed)
        formats = {name: getattr(torch, value) for name, value in policy.items()}
        for module in (*model.layers, model):
            fully_shard(module, mesh=mesh, mp_policy=MixedPrecisionPolicy(**formats))

        def filled(tensor):
            if ledger.entry_of(tensor) is None:
                storages.filled(ledger, tensor, "whole", "parameter")

        with (
            patch.object(_fsdp_param, "alloc_storage", filled),
            patch.object(
                _fsdp_param, "free_storage", lambda tensor: storages.emptied(ledger, tensor)
            ),
        ):
            loop(rec, model, microbatches, model.set_requires_gradient_sync)

    return program


@pytest.mark.parametrize(
    ("width", "words", "policy", "microbatches", "checkpointed"),
    [
        (WIDTH, {}, {}, 1, False),
        (WIDTH + 1, {}, {}, 1, True),
        (WIDTH, {}, {}, 3, False),
        (
            WIDTH,
            {"param_dtype": "bf16", "reduce_dtype": "fp32"},
            {"param_dtype": "bfloat16", "reduce_dtype": "float32"},
            1,
            False,
        ),
        (
            WIDTH + 1,
            {"param_dtype": "bf16", "reduce_dtype": "fp32"},
            {"param_dtype": "bfloat16", "reduce_dtype": "float32"},
            2,
            True,
        ),
    ],
)
def test_phases_take_what_those_of_fully_shard_take_to_the_byte(
    width, words, policy, microbatches, checkpointed, mesh
):
    found = [
        [(each.name, each.start_bytes, each.peak_bytes, each.end_bytes) for each in one.phases()]
        for one in (
            run(theirs(width, policy, microbatches, checkpointed, mesh), rules="memtracker"),
            run(ours(width, words, microbatches, checkpointed), rules="memtracker"),
        )
    ]
    assert found[0] == found[1]
    assert len(found[0]) == 2 * (2 * microbatches + 2)


def test_shards_are_rows_and_the_first_rank_has_the_most_of_them():
    """257 rows over 4 ranks: 65 on the first, and as many with padding on the others."""
    simulation = run(ours(WIDTH + 1, {}, 1))
    matrix, bias = 65 * 257 * 4, 65 * 4
    assert sorted(named(simulation, "fsdp.shard")) == sorted([matrix, bias] * 3 + [matrix])


def test_a_unit_is_gathered_with_the_one_that_is_prefetched():
    """Whole: the root, which stays, one layer in use, and the buffer of the next one."""
    simulation = run(ours(WIDTH, {}, 1))
    layer, head = (WIDTH * WIDTH + WIDTH) * 4, WIDTH * WIDTH * 4
    assert most(simulation, "fsdp.whole_parameter") == head + layer
    assert most(simulation, "fsdp.all_gather") == 2 * layer
    assert most(simulation, "fsdp.reduce_scatter") == layer
    assert most(simulation, "fsdp.reduced_gradient") == (3 * layer + head) // RANKS


def test_a_root_that_is_resharded_is_gathered_again():
    once = run(ours(WIDTH, {}, 1))
    again = run(ours(WIDTH, {"reshard_after_forward": "yes"}, 1))
    head = WIDTH * WIDTH * 4
    count = [named(one, "fsdp.whole_parameter").count(head) for one in (once, again)]
    # Three layers forward, backward and in an evaluation; the head with them, unless it is there from before.
    assert count == [(3 + 3 + 3 + 2) + (3 + 3 + 3 + 1), 2 * (4 + 4 + 4)]


def test_without_resharding_all_of_the_model_is_whole_in_the_backward_pass():
    simulation = run(ours(WIDTH, {"reshard_after_forward": "no"}, 1))
    whole = 3 * (WIDTH * WIDTH + WIDTH) * 4 + WIDTH * WIDTH * 4
    assert most(simulation, "fsdp.whole_parameter") == whole


def test_shards_on_the_host_leave_the_device_with_what_passes():
    words = {"offload": "parameters", "reshard_after_forward": "yes"}
    simulation = run(ours(WIDTH, words, 1))
    assert named(simulation, "fsdp.shard") == []
    shard = WIDTH * WIDTH * 4 // RANKS
    assert shard in named(simulation, "fsdp.shard_from_host")
    assert alive(simulation) <= {"workspace"}


def alive(simulation):
    """Kinds of what is there at the end."""
    events, left = simulation.events[0], set()
    for op, entry in zip(events.ops, events.ids, strict=True):
        if op == 0:
            left.add(entry)
        elif op == 1:
            left.discard(entry)
    return {simulation.entries.kinds[entry] for entry in left}


def test_gradients_reduced_with_every_microbatch_are_not_kept_whole():
    last = run(ours(WIDTH, {}, 3), rules="memtracker")
    each = run(ours(WIDTH, {"sync": "each"}, 3), rules="memtracker")
    layer, head = (WIDTH * WIDTH + WIDTH) * 4, WIDTH * WIDTH * 4
    kept = [next(p.end_bytes for p in one.phases() if p.name == "backward") for one in (last, each)]
    # Whole gradients of all units, against shards of them.
    assert kept[0] - kept[1] == (3 * layer + head) * 3 // 4
