"""Shapes of one rank by a plan, and what collectives leave behind."""

import pytest
from simulate.placement.laid import kinds_at_end, named, placement, run, simulated, workload

pytestmark = pytest.mark.torch

# 4 query heads and 2 of keys, 8 wide; hidden 32, intermediate 64, 2 layers, vocabulary 96.
CONFIG = {"vocab_size": 96}
LAYER = {"q": 32 * 32, "k": 16 * 32, "v": 16 * 32, "o": 32 * 32, "mlp": 3 * 64 * 32}
NORMS = 2 * 2 * 32 + 32


def rank(ways, plan=None, model="llama", config=CONFIG, folder=None):
    """Parameters of one rank: names and shapes."""
    from fiche.simulate.placement.tensor_parallel import narrow

    told = workload(folder, config=config, model=model)
    found = {}

    def program(rec):
        whole = told.language.made("cpu")
        cut = narrow(whole, rec.ledger, ways, plan or {})
        found.update((name, tuple(each.shape)) for name, each in cut.named_parameters())

    run(program)
    return found


@pytest.fixture
def mesh():
    """Two ranks of which none talks: PyTorch's own stand-in for a process group."""
    import torch.distributed as distributed
    from torch.distributed.device_mesh import init_device_mesh
    from torch.testing._internal.distributed.fake_pg import FakeStore

    distributed.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
    yield init_device_mesh("cpu", (2,), mesh_dim_names=("tp",))
    distributed.destroy_process_group()


WIDER = {"hidden_size": 128, "intermediate_size": 256, "head_dim": 32, "num_hidden_layers": 2}
MODELS = {
    "llama": {**WIDER, "vocab_size": 96},
    "mixtral": {
        **{name: value for name, value in WIDER.items() if name != "head_dim"},
        "model_type": "mixtral",
        "num_local_experts": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "vocab_size": 96,
    },
}


def passes(rec, model, learning):
    import torch

    ids = torch.zeros(1, 64, dtype=torch.long, device="cpu")
    with torch.set_grad_enabled(learning):
        for _ in range(2):
            with rec.phase("forward"):
                logits = model(input_ids=ids, use_cache=False).logits
            if learning:
                with rec.phase("backward"):
                    logits.float().sum().backward()
            del logits
            for parameter in model.parameters():
                parameter.grad = None


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("learning", [False, True])
def test_phases_take_what_those_of_transformers_take_to_the_byte(tmp_path, mesh, kind, learning):
    """The library's own layers over its own plan, on ranks that do not talk."""
    from transformers.distributed.tensor_parallel import apply_tensor_parallelism

    from fiche.simulate.placement.tensor_parallel import narrow

    language = workload(tmp_path, model=kind, config=MODELS[kind]).language

    def theirs(rec):
        model = language.made("cpu")
        plan = model._expand_parallel_plan(dict(model.tp_plan))
        apply_tensor_parallelism(model, mesh, plan)
        passes(rec, model, learning)

    def ours(rec):
        passes(rec, narrow(language.made("cpu"), rec.ledger, 2, {}), learning)

    found = [
        [(each.name, each.start_bytes, each.peak_bytes, each.end_bytes) for each in one.phases()]
        for one in (run(theirs, rules="memtracker"), run(ours, rules="memtracker"))
    ]
    assert found[0] == found[1]
    assert len(found[0]) == (4 if learning else 2)


def test_shapes_follow_the_model_s_own_plan(tmp_path):
    shapes = rank(2, folder=tmp_path)
    layer = "model.layers.1."
    assert shapes[f"{layer}self_attn.q_proj.weight"] == (16, 32)
    assert shapes[f"{layer}self_attn.k_proj.weight"] == (8, 32)
    assert shapes[f"{layer}self_attn.o_proj.weight"] == (32, 16)
    assert shapes[f"{layer}mlp.gate_proj.weight"] == (32, 32)
    assert shapes[f"{layer}mlp.down_proj.weight"] == (32, 32)
    assert shapes[f"{layer}input_layernorm.weight"] == (32,)
    assert shapes["model.embed_tokens.weight"] == (48, 32)
    assert shapes["lm_head.weight"] == (48, 32)


def test_the_first_rank_has_the_most_where_something_is_left_over(tmp_path):
    """99 rows over 2 ranks: 50, and 49 on the other; torch.chunk's rule."""
    shapes = rank(2, config={"vocab_size": 99}, folder=tmp_path)
    assert shapes["model.embed_tokens.weight"] == (50, 32)


def test_experts_are_narrower_and_as_many(tmp_path):
    config = {
        "model_type": "mixtral",
        "num_local_experts": 4,
        "num_experts_per_tok": 2,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 1,
        "vocab_size": 96,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
    }
    shapes = rank(2, model="mixtral", config=config, folder=tmp_path)
    experts = "model.layers.0.mlp.experts."
    assert shapes[f"{experts}gate_up_proj"] == (4, 64, 32)
    assert shapes[f"{experts}down_proj"] == (4, 32, 32)


def test_ranks_together_hold_at_least_the_whole(tmp_path):
    whole = sum(LAYER.values()) * 2 + NORMS + 2 * 96 * 32
    one = sum(_values(shape) for shape in rank(2, folder=tmp_path).values())
    assert 2 * one == whole + NORMS


def _values(shape):
    total = 1
    for side in shape:
        total *= side
    return total


def test_heads_that_do_not_divide_are_refused(tmp_path):
    from fiche.simulate.refusal import NotSimulatedError

    with pytest.raises(NotSimulatedError, match="k_proj has 2 heads"):
        rank(4, folder=tmp_path)


def test_a_plan_by_hand_can_leave_each_rank_a_head_of_its_own(tmp_path):
    """As engines do where ranks are more than KV heads: one head of 8 rows on each of 4."""
    plan = {
        "model.layers.*.self_attn.q_proj": "colwise",
        "model.layers.*.self_attn.k_proj": "colwise_whole_heads",
        "model.layers.*.self_attn.v_proj": "colwise_whole_heads",
        "model.layers.*.self_attn.o_proj": "rowwise",
    }
    shapes = rank(4, plan, folder=tmp_path)
    assert shapes["model.layers.0.self_attn.q_proj.weight"] == (8, 32)
    assert shapes["model.layers.0.self_attn.k_proj.weight"] == (8, 32)
    assert shapes["lm_head.weight"] == (96, 32)


def test_an_unknown_style_is_refused(tmp_path):
    from fiche.simulate.refusal import NotSimulatedError

    with pytest.raises(NotSimulatedError, match="'diagonal' is not known"):
        rank(2, {"lm_head": "diagonal"}, folder=tmp_path)


def test_a_generation_sums_the_embedding_and_gathers_the_logits_of_one_token(tmp_path):
    """No gradient: the sums behind row-wise layers are in place. The cache has one of two KV heads."""
    simulation = simulated(
        tmp_path,
        {"tensor_parallel": 2},
        kind="generation",
        config=CONFIG,
        prompt_tokens=16,
        new_tokens=1,
    )
    # Prefill and one step: 16 tokens and 1, 32 values of bf16.
    assert named(simulation, "tensor_parallel.all_reduce") == [16 * 32 * 2, 32 * 2]
    # Both buffers of a gathered tensor: 96 logits of the last token.
    assert named(simulation, "tensor_parallel.all_gather") == [96 * 2] * 4
    # Two layers, keys and values, 17 tokens of one head, each rounded to 512.
    assert kinds_at_end(simulation, "decode", ("cache",)) == 2 * 2 * 512


def test_a_training_step_sums_forward_and_backward(tmp_path):
    """A layer sums behind o and down, and the gradients of the inputs of q, k, v, gate and up."""
    simulation = simulated(
        tmp_path, {"tensor_parallel": 2}, config=CONFIG, microbatch=1, sequence_tokens=8
    )
    sums = named(simulation, "tensor_parallel.all_reduce")
    # Two steps in the first turn; the embedding's sum, and that of the head's input gradient.
    assert len(sums) == 2 * (2 * (2 + 5) + 2)
    assert set(sums) == {8 * 32 * 2}


def test_two_ways_times_two_batches_shard_the_narrow_matrices(tmp_path):
    words = {"tensor_parallel": 2, "devices": 4, "sharding": "fsdp"}
    simulation = simulated(tmp_path, words, config=CONFIG, microbatch=1, sequence_tokens=8)
    assert (32 // 2) * (32 // 2) * 2 in named(simulation, "fsdp.shard")
    assert placement(**words).data == 2
