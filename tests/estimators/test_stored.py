"""Why files hold more or fewer values than the class: every count worked by hand."""

from hypothesis import given
from hypothesis import strategies as st

from fiche.estimators._stored import explain, stored_bytes, stored_values
from fiche.kernel.checkpoint import Checkpoint, TensorGroup
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Unknown, either
from fiche.kernel.model import Model, Parameters
from fiche.kernel.origin import Stated
from fiche.kernel.unit import ONE

HIDDEN, VOCABULARY, LAYERS = 8, 32, 3


def number(value):
    return Figure(low=value, high=value, unit=ONE, origin=Stated(span=None, because="test"))


def parameters(name, role, *shape, copies=1, layers=(), **more):
    return Parameters(
        name=name,
        role=role,
        shape=tuple(number(side) for side in shape),
        copies=copies if not isinstance(copies, int) else number(copies),
        layers=layers,
        **more,
    )


def tensors(name, *shape, dtype="BF16", count=1, layers=(), each=2):
    product = each
    for side in shape:
        product *= side
    return TensorGroup(
        name=name, dtype=dtype, shape=shape, count=count, num_bytes=product, layers=layers
    )


EMBEDDING = parameters("model.embed_tokens.weight", "embedding", VOCABULARY, HIDDEN)
HEAD = parameters("lm_head.weight", "head", VOCABULARY, HIDDEN)
LAYERED = parameters(
    "model.layers.*.mlp.up_proj.weight",
    "linear",
    16,
    HIDDEN,
    copies=LAYERS,
    layers=tuple(range(LAYERS)),
)
STORED_EMBEDDING = tensors("model.embed_tokens.weight", VOCABULARY, HIDDEN)
STORED_HEAD = tensors("lm_head.weight", VOCABULARY, HIDDEN)
STORED_LAYERED = tensors(
    "model.layers.*.mlp.up_proj.weight", 16, HIDDEN, count=LAYERS, layers=tuple(range(LAYERS))
)


def model(held, stored, **more):
    checkpoint = Checkpoint(
        format="safetensors", groups=tuple(stored), files=(), metadata={}, sha256="0", file="t"
    )
    return Model(
        family="f",
        model_type="toy",
        architecture="ToyForCausalLM",
        parameters=tuple(held),
        checkpoint=checkpoint,
        **more,
    )


def told(held, stored, **more):
    found = explain(model(held, stored, **more))
    # Whatever the lines say, they add up to the difference.
    assert found.loaded is not None
    assert found.stored - found.loaded == sum(line.values for line in found.lines)
    return found


def kinds(found):
    return [(line.kind, line.values) for line in found.lines]


def test_the_same_tensors_need_no_line():
    found = told([EMBEDDING, HEAD, LAYERED], [STORED_EMBEDDING, STORED_HEAD, STORED_LAYERED])
    assert found.lines == ()
    assert found.stored == found.loaded == 2 * 32 * 8 + 3 * 16 * 8
    assert found.num_bytes == 2 * found.stored


def test_a_tied_head_that_is_stored_is_loaded_once():
    """Truth case 031, the other way round: the files hold a head that the class ties."""
    found = told([EMBEDDING, LAYERED], [STORED_EMBEDDING, STORED_HEAD, STORED_LAYERED], tied=True)
    assert kinds(found) == [("tied_head", 256)]
    assert found.lines[0].loaded is False


def test_a_head_of_its_own_is_no_copy():
    """A class with a head of its own that the files lack: it is missing, and said to be."""
    found = told([EMBEDDING, HEAD], [STORED_EMBEDDING])
    assert kinds(found) == [("missing", -256)]
    assert [line.kind for line in found.unexplained] == ["missing"]


def test_a_head_of_another_shape_is_unexplained():
    found = told([EMBEDDING], [STORED_EMBEDDING, tensors("lm_head.weight", 7, HIDDEN)])
    assert kinds(found) == [("other_head", 56)]
    found = told([EMBEDDING], [STORED_EMBEDDING, tensors("model.strange.weight", 7, HIDDEN)])
    assert kinds(found) == [("unexplained", 56)]
    assert found.unexplained[0].names == ("model.strange.weight",)


def test_buffers_are_no_parameters():
    """Truth cases 023 and 027: 512 position ids; 62 x 256 values of a correction of the router."""
    stored = [
        STORED_EMBEDDING,
        tensors("embeddings.position_ids", 1, 512, dtype="I64", each=8),
        tensors("model.layers.*.self_attn.rotary_emb.inv_freq", 4, count=3, layers=(0, 1, 2)),
        tensors("model.layers.*.mlp.gate.e_score_correction_bias", 256, count=62),
        tensors("transformer.h.*.attn.bias", 1, 1, 16, 16, count=2, dtype="U8", each=1),
    ]
    found = told([EMBEDDING], stored)
    assert kinds(found) == [("buffer", 512 + 12 + 62 * 256 + 512)]
    assert found.unexplained == ()


def test_a_buffer_that_the_class_has_is_held_and_not_counted():
    """A library counts parameters only; the bytes are in memory all the same."""
    buffer = parameters("model.layers.*.gate.bias", "buffer", 256, copies=62)
    found = told([EMBEDDING, buffer], [STORED_EMBEDDING, tensors(buffer.name, 256, count=62)])
    assert found.loaded == 256
    assert kinds(found) == [("buffer", 62 * 256)]
    assert found.lines[0].loaded is True
    assert told([EMBEDDING, buffer], [STORED_EMBEDDING]).lines == ()


def test_storages_without_names_compare_nothing():
    """A file of torch.save lists bytes only (law 7: its pickle is never opened)."""
    storage = TensorGroup(name="data/*", dtype="", shape=(), count=2, num_bytes=512)
    found = explain(model([EMBEDDING], [storage]))
    assert (found.stored, found.num_bytes, found.loaded, found.lines) == (None, 1024, None, ())


def test_blocks_that_predict_further_tokens_stand_behind_the_layers():
    """DeepSeek-V3 stores its extra block as one more layer, under names that the others have too."""
    stored = [
        STORED_EMBEDDING,
        tensors("model.layers.*.mlp.up_proj.weight", 16, HIDDEN, count=4, layers=(0, 1, 2, 3)),
        tensors("model.layers.*.eh_proj.weight", HIDDEN, 16, layers=(3,)),
        tensors("model.layers.*.embed_tokens.weight", VOCABULARY, HIDDEN, layers=(3,)),
    ]
    found = told([EMBEDDING, LAYERED], stored)
    assert kinds(found) == [("prediction", 128 + 128 + 256)]
    assert [(line.num_bytes, line.loaded) for line in found.lines] == [(1024, False)]
    further = parameters(
        LAYERED.name, "linear", 16, HIDDEN, layers=(3,), part="prediction", loaded=False
    )
    found = told([EMBEDDING, LAYERED, further], stored)
    assert kinds(found) == [("prediction", 128), ("prediction", 384)]
    assert [(line.num_bytes, line.loaded) for line in found.lines] == [(256, False), (768, False)]
    found = told([EMBEDDING, LAYERED, further], [STORED_EMBEDDING, STORED_LAYERED])
    assert kinds(found) == []


def test_layers_behind_the_last_one_that_nothing_speaks_of():
    stored = [
        STORED_EMBEDDING,
        tensors(LAYERED.name, 16, HIDDEN, count=5, layers=(0, 1, 2, 3, 4)),
    ]
    found = told([EMBEDDING, LAYERED], stored)
    assert kinds(found) == [("layers", 256)]
    assert "(3, 4)" in found.lines[0].text


def test_fused_experts_of_a_block_behind_the_last_layer():
    """Each layer holds 4 experts of (6, 8) twice; the fourth layer predicts further tokens."""
    fused = parameters(
        "model.layers.*.mlp.experts.gate_up_proj",
        "expert",
        4,
        12,
        HIDDEN,
        copies=LAYERS,
        layers=(0, 1, 2),
    )
    name = "model.layers.*.mlp.experts.*"
    layers = (0, 1, 2, 3)
    stored = [
        STORED_EMBEDDING,
        tensors(f"{name}.gate_proj.weight", 6, HIDDEN, count=16, layers=layers),
        tensors(f"{name}.up_proj.weight", 6, HIDDEN, count=16, layers=layers),
        tensors("model.layers.*.eh_proj.weight", HIDDEN, 16, layers=(3,)),
    ]
    found = told([EMBEDDING, fused], stored)
    assert kinds(found) == [("same", 0), ("prediction", 8 * 48 + 128)]


def test_packed_values_and_what_stands_beside_them():
    """AutoGPTQ 4 bits: 8 values an I32, one scale and zero point a group (formula sheet 2.4)."""
    layers = tuple(range(LAYERS))
    stored = [
        STORED_EMBEDDING,
        tensors("model.layers.*.mlp.up_proj.qweight", 1, 16, dtype="I32", count=3, layers=layers),
        tensors("model.layers.*.mlp.up_proj.scales", 1, 16, dtype="F16", count=3, layers=layers),
        tensors("model.layers.*.mlp.up_proj.qzeros", 1, 2, dtype="I32", count=3, layers=layers),
        tensors("model.layers.*.mlp.up_proj.g_idx", 8, dtype="I32", count=3, layers=layers),
    ]
    found = told([EMBEDDING, LAYERED], stored)
    assert kinds(found) == [("packed", 3 * 16 - 3 * 128), ("scales", 3 * (16 + 2 + 8))]
    assert "several values" in found.lines[0].text


def test_mxfp4_blocks_hold_two_values_a_byte():
    """gpt-oss: `gate_up_proj_blocks` and `gate_up_proj_scales` for one fused parameter."""
    experts = parameters("model.layers.*.mlp.experts.gate_up_proj", "expert", 4, 32, 64)
    stored = [
        STORED_EMBEDDING,
        tensors("model.layers.*.mlp.experts.gate_up_proj_blocks", 4, 64, 1, 16, dtype="U8", each=1),
        tensors("model.layers.*.mlp.experts.gate_up_proj_scales", 4, 64, 1, dtype="U8", each=1),
    ]
    found = told([EMBEDDING, experts], stored)
    assert kinds(found) == [("packed", 4096 - 8192), ("scales", 256)]


def test_experts_that_the_class_fuses_are_the_same_values():
    fused = parameters(
        "model.layers.*.mlp.experts.gate_up_proj", "expert", 4, 12, HIDDEN, copies=LAYERS
    )
    stored = [
        STORED_EMBEDDING,
        tensors("model.layers.*.mlp.experts.*.gate_proj.weight", 6, HIDDEN, count=12),
        tensors("model.layers.*.mlp.experts.*.up_proj.weight", 6, HIDDEN, count=12),
        tensors("model.layers.*.mlp.experts.*.up_proj.weight_scale_inv", 1, 1, count=12),
    ]
    found = told([EMBEDDING, fused], stored)
    assert kinds(found) == [("same", 0), ("scales", 12)]


def test_names_with_other_wrappers_are_the_same():
    held = [
        parameters("model.language_model.layers.*.norm.weight", "norm", HIDDEN, copies=3),
        parameters("bert.embeddings.LayerNorm.weight", "norm", HIDDEN),
    ]
    stored = [
        tensors("language_model.model.layers.*.norm.weight", HIDDEN, count=3),
        tensors("bert.embeddings.LayerNorm.gamma", HIDDEN),
    ]
    assert told(held, stored).lines == ()


def test_a_gguf_file_names_everything_otherwise():
    held = [EMBEDDING, LAYERED]
    stored = [
        tensors("token_embd.weight", VOCABULARY, HIDDEN),
        tensors("blk.*.ffn_up.weight", 16, HIDDEN, count=3, layers=(0, 1, 2)),
        tensors("rope_freqs.weight", 4),
    ]
    assert kinds(told(held, stored)) == [("same", 0), ("same", 0), ("buffer", 4)]


def test_a_second_copy_of_an_embedding():
    """T5 stores its one embedding up to three times."""
    held = [parameters("shared.weight", "embedding", VOCABULARY, HIDDEN)]
    stored = [
        tensors("shared.weight", VOCABULARY, HIDDEN),
        tensors("encoder.embed_tokens.weight", VOCABULARY, HIDDEN),
        tensors("decoder.embed_tokens.weight", VOCABULARY, HIDDEN),
    ]
    assert kinds(told(held, stored)) == [("copy", 512)]


def test_a_copy_that_the_configuration_leaves_open_is_settled_by_the_files():
    head = parameters(HEAD.name, "head", VOCABULARY, HIDDEN, copies=either(0, 1, "untold"))
    assert told([EMBEDDING, head], [STORED_EMBEDDING, STORED_HEAD]).loaded == 512
    assert told([EMBEDDING, head], [STORED_EMBEDDING]).loaded == 256


def test_tensors_that_the_class_leaves_out():
    buffer = parameters("rope.inv_freq", "position", 4, copies=either(0, 1, "age"), loaded=False)
    assert told([EMBEDDING, buffer], [STORED_EMBEDDING]).lines == ()
    found = told([EMBEDDING, buffer], [STORED_EMBEDDING, tensors("rope.inv_freq", 4)])
    assert kinds(found) == [("left_out", 4)]


def test_another_count_of_rows_is_said_with_both_numbers():
    found = told([EMBEDDING], [tensors("model.embed_tokens.weight", 40, HIDDEN)])
    assert kinds(found) == [("shape", 64)]
    assert "320 values are stored where the class holds 256" in found.lines[0].text


def test_an_open_dimension_compares_nothing():
    """Fail closed: what the configuration does not say is no zero."""
    asked = Condition(topic="architecture", text="give the configuration its hidden_size")
    held = Parameters(
        name="a.weight",
        role="linear",
        shape=(Unknown(condition=asked, unit=ONE), number(4)),
        copies=number(1),
    )
    found = explain(model([held], [STORED_EMBEDDING]))
    assert (found.stored, found.loaded, found.lines) == (256, None, ())
    assert explain(model([], [STORED_EMBEDDING])).loaded is None
    assert explain(Model(family="", model_type="", architecture="")) is None


NAMES = st.sampled_from(
    [
        "model.embed_tokens.weight",
        "lm_head.weight",
        "model.layers.*.mlp.up_proj.weight",
        "model.layers.*.mlp.up_proj.qweight",
        "model.layers.*.mlp.up_proj.scales",
        "model.layers.*.mlp.experts.gate_up_proj",
        "mtp.*.fc.weight",
        "blk.*.ffn_up.weight",
    ]
)
SHAPES = st.lists(st.integers(1, 8), min_size=1, max_size=3).map(tuple)
COUNTS = st.integers(1, 4)


@given(
    st.lists(st.tuples(NAMES, SHAPES, COUNTS, st.booleans()), min_size=1, max_size=6),
    st.lists(st.tuples(NAMES, SHAPES, COUNTS, st.sampled_from(["BF16", "U8", "I32"])), max_size=6),
)
def test_lines_add_up_and_no_tensor_is_forgotten(held, stored):
    """Law 8: every stored element is loaded, or in a line that says why not."""
    ours = [
        parameters(name, "linear", *shape, copies=count, loaded=loaded)
        for name, shape, count, loaded in held
    ]
    theirs = [
        tensors(name, *shape, count=count, dtype=dtype) for name, shape, count, dtype in stored
    ]
    found = told(ours, theirs)
    checkpoint = model(ours, theirs).checkpoint
    assert found.stored == stored_values(checkpoint)
    assert found.num_bytes == stored_bytes(checkpoint)
    assert sum(line.num_bytes for line in found.lines) <= found.num_bytes
