"""What a full loss keeps for its backward pass: 4 bytes a logit (formula sheet 2.5)."""

import pytest
from losses import LOGITS, amount

from fiche.estimators.log_probabilities import MEMBER


def test_four_bytes_a_logit():
    assert amount(MEMBER) == (4 * LOGITS, 4 * LOGITS)


@pytest.mark.parametrize(
    "told", [{"engine__version": "4.44.0"}, {"engine__version": ""}, {"engine__name": "my-own"}]
)
def test_code_that_shifts_logits_keeps_one_more(told):
    assert amount(MEMBER, **told) == (4 * LOGITS, 8 * LOGITS)


def test_from_the_loss_to_the_backward_pass():
    assert MEMBER.phases == ("first_step", "loss", "backward")


@pytest.mark.torch
def test_cross_entropy_saves_one_value_a_logit():
    """torch 2.13: the output of log-softmax, and nothing of the copy in fp32."""
    import torch

    saved = {}

    def pack(tensor):
        storage = tensor.untyped_storage()
        saved[storage.data_ptr()] = storage.nbytes()
        return tensor

    logits = torch.randn(16, 64, dtype=torch.bfloat16, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        torch.nn.functional.cross_entropy(logits.float(), torch.zeros(16, dtype=torch.long))
    assert max(saved.values()) == 4 * 16 * 64
    assert sum(count for count in saved.values() if count >= 16 * 64) == 4 * 16 * 64
