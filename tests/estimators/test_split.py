"""What the most loaded of several devices holds: cut, dealt out, or whole on each (D4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads import stated, workload

from fiche.estimators._split import following, placed, split_of, told_cut, within
from fiche.kernel.model import AttentionCache, Model, Parameters
from fiche.kernel.record import replace
from fiche.kernel.trace import walk
from fiche.kernel.unit import BYTE, count_of

LAYERS = tuple(range(32))


def count(name, value):
    return stated(name, value, count_of(name))


def group(name, role, *shape, copies=32, layers=LAYERS):
    return Parameters(
        name=name,
        role=role,
        shape=tuple(count(f"side{i}", side) for i, side in enumerate(shape)),
        copies=count("copies", copies),
        layers=layers,
    )


def model(kv_heads=8):
    cache = AttentionCache(
        layers=LAYERS,
        count=count("layers", 32),
        kv_heads=count("kv_heads", kv_heads),
        key_dim=count("key_dim", 128),
        value_dim=count("value_dim", 128),
    )
    return Model(family="llama", model_type="llama", architecture="", caches=(cache,))


Q = group("model.layers.*.self_attn.q_proj.weight", "linear", 4096, 4096)
K = group("model.layers.*.self_attn.k_proj.weight", "linear", 1024, 4096)
NORM = group("model.layers.*.input_layernorm.weight", "norm", 4096)
EMBEDDING = group("model.embed_tokens.weight", "embedding", 128256, 4096, copies=1, layers=())
EXPERTS = group("model.layers.*.mlp.experts.*.up_proj.weight", "expert", 768, 2048, copies=32 * 128)


def held(parts, load, where=None):
    nodes = [(g, stated("bytes", value, BYTE)) for g, value in parts]
    return placed(nodes, where or model(), split_of(load))


def ways(**told):
    return workload(**{f"placement__{key}": value for key, value in told.items()})


@pytest.mark.parametrize("load", [workload(), ways(devices=4), ways(devices=4, sharding="none")])
def test_no_way_told_is_no_cut(load):
    assert split_of(load) is None


def test_matrices_are_cut_and_norms_are_whole_on_each_device():
    found = held([(Q, 4000), (NORM, 100)], ways(devices=4, tensor_parallel=4))
    assert (found.low, found.high) == (1100, 1100)


@pytest.mark.parametrize(("devices", "share"), [(4, 250), (8, 125), (16, 125), (64, 125)])
def test_a_device_keeps_one_kv_head_at_least(devices, share):
    """estimators.md 2.3: KV heads per rank = max(1, heads / devices)."""
    assert held([(K, 1000)], ways(devices=devices, tensor_parallel=devices)).low == share


def test_an_embedding_is_cut_where_the_engine_is_known_to_and_may_be_whole_elsewhere():
    cut = ways(devices=2, tensor_parallel=2)
    told = workload(placement__devices=2, placement__tensor_parallel=2, engine__name="vllm")
    assert (held([(EMBEDDING, 100)], cut).low, held([(EMBEDDING, 100)], cut).high) == (50, 100)
    assert held([(EMBEDDING, 100)], told).high == 50


@pytest.mark.parametrize(("expert", "share"), [(2, 640), (3, 430), (128, 10), (256, 10)])
def test_experts_are_dealt_out_whole(expert, share):
    """128 experts over 3 devices: one holds 43."""
    load = ways(devices=expert, tensor_parallel=expert, expert_parallel=expert)
    assert held([(EXPERTS, 1280)], load).low == share


def test_stages_hold_whole_layers_and_the_ends_lie_where_the_software_says():
    """32 layers over 3 stages: one holds 11; both ends may lie with it."""
    found = held([(Q, 3200), (EMBEDDING, 50)], ways(devices=3, pipeline_parallel=3))
    assert (found.low, found.high) == (1084, 1150)  # 3250 / 3 rounded up; 11 layers and the ends


def test_shards_are_an_even_part():
    load = ways(devices=8, sharding="fsdp")
    assert held([(Q, 4000), (NORM, 100)], load).high == 513  # 4100 / 8, rounded up


@pytest.mark.parametrize(
    ("sharding", "optimizer", "gradients", "weights"),
    [("zero1", 25, 100, 100), ("zero2", 25, 25, 100), ("zero3", 25, 25, 25), ("fsdp", 25, 25, 25)],
)
def test_the_stages_of_zero(sharding, optimizer, gradients, weights):
    split = split_of(ways(devices=4, sharding=sharding))
    hundred = stated("hundred", 100, BYTE)
    assert following(hundred, split, "optimizer_state").high == optimizer
    assert following(hundred, split, "gradients").high == gradients
    assert held([(Q, 100)], ways(devices=4, sharding=sharding)).high == weights


def test_data_parallel_devices_are_those_left_over():
    split = split_of(ways(devices=8, tensor_parallel=2, sharding="zero1"))
    assert split.data.low == 4
    assert split_of(ways(devices=8, data_parallel=2, sharding="zero1")).data.low == 2


def test_what_nobody_told_lies_between_an_even_part_and_all_of_it():
    found = within(stated("cache", 100, BYTE), count("devices", 3), "cache")
    assert (found.low, found.high) == (34, 100)
    assert within(stated("cache", 100, BYTE), None, "cache").id == "cache"


@given(
    st.integers(1, 16),
    st.integers(1, 16),
    st.lists(st.integers(0, 10**12), min_size=1, max_size=4),
)
def test_shards_add_up_to_the_whole_at_least(tensor, pipeline, sizes):
    """D4: the most loaded device holds no less than an even part, and no more than the whole."""
    groups = [Q, K, NORM, EMBEDDING]
    parts = list(zip(groups, sizes, strict=False))
    load = ways(devices=tensor * pipeline, tensor_parallel=tensor, pipeline_parallel=pipeline)
    found = held(parts, load)
    assert found.low * tensor * pipeline >= sum(sizes)
    assert found.low <= found.high <= sum(sizes) + 2 * len(parts)


def test_the_cut_can_be_walked_back():
    load = ways(devices=4, tensor_parallel=4)
    found = held([(Q, 4000)], load)
    assert "placement.tensor_parallel" in {node.id for node in walk(found)}


def test_words_say_what_every_device_holds_whole():
    """D4: what is replicated is named."""
    whole = replace(model(), parameters=(Q, NORM, EMBEDDING, EXPERTS))
    told = told_cut(whole, split_of(ways(devices=4, tensor_parallel=4)))
    assert told == "matrices cut by tensor; norm whole on each; embedding and head cut or whole"
    both = ways(devices=4, tensor_parallel=2, expert_parallel=4, pipeline_parallel=2)
    assert "experts dealt out whole; layers dealt out by stages" in told_cut(whole, split_of(both))
    assert told_cut(whole, split_of(ways(devices=4, sharding="fsdp"))) == "an even shard of all"
