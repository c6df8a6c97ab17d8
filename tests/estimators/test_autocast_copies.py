"""16-bit copies of fp32 weights under autocast (formula sheet 2.5: 16 bytes a parameter, and 2 more)."""

from trained import LLAMA_PARAMETERS, llama, training

from fiche.estimators.autocast_copies import MEMBER

FULL = {"method__kind": "full", "training__autocast": "bf16", "training__checkpointing": "none"}
# Embedding and norms are never cast by a matrix product.
LINEAR = LLAMA_PARAMETERS - 128256 * 4096 - 65 * 4096


def copies(**told):
    (node,) = MEMBER.estimate(training(of=llama(), **{**FULL, **told}), None)
    return node.low, node.high


def test_two_bytes_for_each_value_of_a_linear_module():
    assert copies(formats__loaded="fp32") == (2 * LINEAR, 2 * LINEAR)


def test_weights_of_sixteen_bits_are_not_copied():
    assert copies(formats__loaded="bf16") == (0, 0)


def test_recomputed_layers_let_go_of_theirs():
    assert copies(formats__loaded="fp32", training__checkpointing="full") == (0, 2 * LINEAR)


def test_only_under_autocast():
    assert MEMBER.applies(training(**FULL))
    assert not MEMBER.applies(training(**{**FULL, "training__autocast": "none"}))
    assert not MEMBER.applies(training(method__kind="full"))
    assert not MEMBER.applies(training(**FULL, operation="generation"))


def test_nothing_is_counted_without_the_models_files():
    from fiche.kernel.record import replace

    assert MEMBER.estimate(replace(training(**FULL), model=None), None) == ()
