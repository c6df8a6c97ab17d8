"""Llama-3 at 8192 tokens, for the tests of logits and of what a loss makes of them (formula sheet 2.5)."""

from trained import llama, training
from workloads import case

LOGITS = 8192 * 128256
FULL = {
    "method__kind": "full",
    "engine__name": "transformers",
    "engine__version": "5.24.0",
    "formats__loaded": "bf16",
    "training__loss": "full",
}


def amount(member, *, of=None, where=None, **told):
    """The bounds of a member's item, in bytes."""
    at = where or case(microbatch=1, sequence_tokens=8192)
    load = training(at, of=of or llama(), **{**FULL, **told})
    assert member.applies(load)
    (node,) = member.estimate(load, at)
    return node.low, node.high
