"""Logits of a microbatch: tokens x vocabulary (formula sheet 2.5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from losses import FULL, LOGITS, amount
from trained import llama, training
from workloads import case, workload

from fiche.estimators.log_probabilities import MEMBER as LOG_PROBABILITIES
from fiche.estimators.logits import MEMBER
from fiche.estimators.logits_gradient import MEMBER as GRADIENT
from fiche.estimators.logits_upcast import MEMBER as UPCAST
from fiche.kernel.record import replace

ALL = (MEMBER, UPCAST, LOG_PROBABILITIES, GRADIENT)


def test_two_bytes_each_in_sixteen_bits_and_four_in_fp32():
    """2.5: a forward pass of Llama-3 at 8192 tokens keeps 1.96 GiB of them."""
    assert amount(MEMBER) == (2 * LOGITS, 2 * LOGITS)
    assert round(2 * LOGITS / 2**30, 2) == 1.96
    assert amount(MEMBER, formats__loaded="fp32") == (4 * LOGITS, 4 * LOGITS)


def alive(phase, **told):
    return [amount(member, **told) for member in ALL if phase in member.phases]


@pytest.mark.parametrize(
    ("phase", "bytes_a_logit"), [("forward", 2), ("loss", 10), ("backward", 14)]
)
def test_fourteen_bytes_a_logit_at_the_peak(phase, bytes_a_logit):
    """2.5: Llama-3 at 8192 tokens 13.7 GiB."""
    expected = bytes_a_logit * LOGITS
    assert sum(low for low, _ in alive(phase)) == expected
    assert sum(high for _, high in alive(phase)) == expected
    assert round(14 * LOGITS / 2**30, 1) == 13.7


@pytest.mark.parametrize("told", ["chunked", ""])
def test_another_loss_holds_none_or_some(told):
    for member in ALL:
        low, high = amount(member, training__loss=told)
        assert (low, high) == (0, amount(member)[1])


def test_a_fused_loss_holds_a_chunk():
    """Liger 0.6: 8192 tokens / ceil(128256 / 4096) = 256, a power of two already; at most twice that here."""
    low, high = amount(MEMBER, training__loss="fused")
    assert (low, high) == (0, 2 * 2 * (8192 * 4096 + 128256))
    assert high >= 2 * 256 * 128256


def test_autocast_may_give_either_width():
    assert amount(MEMBER, formats__loaded="fp32", training__autocast="bf16") == (
        2 * LOGITS,
        4 * LOGITS,
    )


def test_a_tied_head_gives_logits_and_a_model_without_one_does_not():
    assert amount(MEMBER, of=llama(tied=True)) == amount(MEMBER)
    headless = replace(llama(), parameters=llama().parameters[:-1])
    assert not MEMBER.applies(training(of=headless, **FULL))


def test_only_a_training_of_a_known_model_has_them():
    assert not MEMBER.applies(workload(operation="training"))
    assert not MEMBER.applies(training(of=llama(), **FULL, operation="generation"))


@given(microbatch=st.integers(1, 512), sequence=st.integers(1, 10**6))
def test_more_tokens_never_give_less(microbatch, sequence):
    one, more = (
        case(microbatch=count, sequence_tokens=sequence) for count in (microbatch, microbatch + 1)
    )
    for member in ALL:
        assert amount(member, where=one)[0] < amount(member, where=more)[0]
