"""An evaluation of the model in training: a batch of its own, no graph (D7)."""

from trained import llama, training
from workloads import case

from fiche.estimators.evaluation_pass import MEMBER
from fiche.kernel.record import replace
from fiche.kernel.trace import conditions

FULL = {
    "method__kind": "full",
    "engine__name": "transformers",
    "engine__version": "5.24.0",
    "formats__loaded": "bf16",
    "attention": "flash_attention_2",
    "training__loss": "full",
}
LOGITS = 4 * 1024 * 128256


def estimate(phases=("evaluation",), **dimensions):
    at = replace(case(**dimensions), phases=phases)
    return MEMBER.estimate(training(at, of=llama(), **FULL), at)


def test_logits_of_its_own_batch_and_one_layer_at_most():
    (node,) = estimate(microbatch=1, batch=4, sequence_tokens=1024)
    values = 4 * 4096 + 2 * 4096 + 2 * 1024 + 4 * 14336
    layer = (2 * values + 2 * 4 * 4096 + 2 * 8 + 4 * 32) * 4 * 1024
    assert (node.low, node.high) == (2 * LOGITS, (2 + 8) * LOGITS + layer)


def test_a_microbatch_of_training_says_nothing_of_its_batch():
    """D7: reducing only the training batch does not mend an evaluation."""
    (node,) = estimate(microbatch=1, sequence_tokens=1024)
    assert node.high is None
    assert any("state batch" in condition.text for condition in conditions(node))


def test_only_where_the_case_goes_through_one():
    assert estimate(phases=("forward",), batch=1, sequence_tokens=1) == ()
    assert MEMBER.phases == ("evaluation",)
    assert "logits collected over the batches of an evaluation" in estimate(batch=1)[0].left_out
