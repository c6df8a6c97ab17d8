"""Ready workloads on one rank, and the laws that hold of it."""

import pytest
from simulate.placement.laid import kinds_at_end, named, placement, simulated, workload

pytestmark = pytest.mark.torch

# Large enough that blocks of 512 bytes are small against a shard.
WIDE = {"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 3, "head_dim": 64}
CONFIG = {**WIDE, "vocab_size": 1000}
STEP = {"config": CONFIG, "microbatch": 1, "sequence_tokens": 16}
HELD = ("parameter", "gradient", "optimizer_state")


@pytest.mark.parametrize("sharding", ["none", "fsdp"])
def test_one_device_is_the_unplaced_run_to_the_byte(tmp_path, sharding):
    from fiche.simulate.simulated import simulated as plain

    usual = plain(workload(tmp_path / "plain", **STEP), turns=("first",))
    placed = simulated(tmp_path / "placed", {"devices": 1, "sharding": sharding}, **STEP)
    assert placed.events[0].ops == usual.events[0].ops
    assert placed.live() == usual.live()


def test_fully_sharded_ranks_never_hold_more_than_one_device(tmp_path):
    """Parameters, gradients and states at the update, of 1, 2, 4 and 8 ranks: each less than the one before."""
    found = []
    for ranks in (1, 2, 4, 8):
        words = {"devices": ranks, "sharding": "fsdp"}
        simulation = simulated(tmp_path / str(ranks), words, **STEP)
        found.append(kinds_at_end(simulation, "optimizer_step", HELD))
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == 4


@pytest.mark.parametrize("ranks", [2, 3, 8])
def test_shards_of_all_ranks_are_at_least_the_whole(tmp_path, ranks):
    whole = simulated(tmp_path / "whole", {}, **STEP)
    words = {"devices": ranks, "sharding": "fsdp"}
    shards = simulated(tmp_path / "shards", words, **STEP)
    whole_bytes = sum(
        num_bytes
        for num_bytes, kind in zip(whole.entries.num_bytes, whole.entries.kinds, strict=True)
        if kind == "parameter"
    )
    assert ranks * sum(named(shards, "fsdp.shard")) >= whole_bytes


def test_checkpointed_layers_run_again_while_they_are_whole(tmp_path):
    words = {"devices": 4, "sharding": "fsdp"}
    once = simulated(tmp_path / "once", words, **STEP)
    again = simulated(tmp_path / "again", words, checkpointing=True, **STEP)
    assert len(named(once, "fsdp.all_gather")) == len(named(again, "fsdp.all_gather"))
    assert named(once, "fsdp.whole_parameter") == named(again, "fsdp.whole_parameter")


@pytest.mark.parametrize("sharding", ["none", "fsdp", "zero2", "zero3"])
def test_adapters_are_shared_out_with_a_frozen_base(tmp_path, sharding):
    pytest.importorskip("peft")
    words = {"devices": 2, "sharding": sharding, "reduce_bucket_size": 1000}
    simulation = simulated(tmp_path, words, method="lora", lora_rank=4, **STEP)
    states = kinds_at_end(simulation, "optimizer_step", ("optimizer_state",))
    assert 0 < states < kinds_at_end(simulation, "optimizer_step", ("parameter",))


@pytest.mark.parametrize("sharding", ["none", "fsdp", "zero1", "zero2", "zero3"])
def test_all_phases_run_with_accumulation_and_evaluation(tmp_path, sharding):
    words = {"devices": 2, "sharding": sharding, "reduce_bucket_size": 100_000}
    simulation = simulated(tmp_path, words, accumulation=2, evaluation=True, **STEP)
    names = {each.name for each in simulation.phases()}
    assert {"model_init", "forward", "backward", "optimizer_step", "evaluation"} <= names
    assert any("one rank of 2" in note for note in simulation.notes)


@pytest.mark.parametrize(
    ("kind", "words", "options", "said"),
    [
        ("generation", {"devices": 2, "sharding": "fsdp"}, {}, "a generation shares no states"),
        ("training", {"devices": 2}, {"export": True}, "an export"),
        ("training", {"tensor_parallel": 2}, {"method": "lora"}, "without tensor parallelism"),
        (
            "training",
            {"devices": 2, "sharding": "zero2"},
            {"dtype": "fp32", "train_dtype": "bf16"},
            "in the format of the weights",
        ),
    ],
)
def test_what_is_not_laid_out_is_refused(tmp_path, kind, words, options, said):
    from fiche.simulate.placement.workload import placed

    one = workload(tmp_path, kind, **options)
    with pytest.raises(ValueError, match=said):
        placed(one, placement(**words))


def test_a_dense_network_is_not_laid_out():
    from fiche.measure.workloads import ready
    from fiche.simulate.placement.workload import placed

    with pytest.raises(ValueError, match="only training and generation"):
        placed(ready("dense").build({}), placement(devices=2))
