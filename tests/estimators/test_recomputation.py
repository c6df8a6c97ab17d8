"""The layer that the backward pass recomputes (formula sheet 2.5)."""

from trained import llama, training
from workloads import case, reserve

from fiche.estimators.activations import MEMBER as ACTIVATIONS
from fiche.estimators.recomputation import MEMBER
from fiche.kernel.record import replace

FULL = {
    "method__kind": "full",
    "engine__name": "transformers",
    "formats__loaded": "bf16",
    "attention": "flash_attention_2",
    "training__checkpointing": "full",
}
AT = case(microbatch=2, sequence_tokens=4096)


def bounds(member=MEMBER, **told):
    found = member.estimate(training(AT, of=llama(), **{**FULL, **told}), AT)
    return (found[0].low, found[0].high) if found else None


def test_one_layer_of_those_that_would_be_kept():
    """A layer's share of what is kept without checkpointing."""
    low, high = bounds()
    none = bounds(ACTIVATIONS, training__checkpointing="none")
    assert low * 32 == none[0]
    values = 4 * 4096 + 2 * 4096 + 2 * 1024 + 4 * 14336
    assert high == (2 * values + 2 * 4 * 4096 + 2 * 8 + 4 * 32) * 2 * 4096


def test_without_checkpointing_nothing_is_recomputed():
    assert bounds(training__checkpointing="none") is None


def test_untold_or_selective_may_recompute_none():
    assert bounds(training__checkpointing="selective")[0] == 0
    assert bounds(training__checkpointing="")[0] == 0


def test_a_reserve_for_activations_stands_for_it():
    load = replace(training(AT, of=llama(), **FULL), reserve=(reserve("activations", 1),))
    assert MEMBER.estimate(load, AT) == ()


def test_only_in_the_backward_pass():
    assert MEMBER.phases == ("first_step", "backward")
    assert MEMBER.applies(training(of=llama(), **FULL))
    assert not MEMBER.applies(training(of=llama(), **FULL, operation="generation"))
