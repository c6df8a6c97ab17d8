import pytest
from simulate.effects.rows_applied import applied, most

pytestmark = pytest.mark.torch


def attended(rec, mask):
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    query, key, value = (torch.empty(1, 8, 512, 64, device="cuda") for _ in range(3))
    told = torch.zeros(512, 512, device="cuda") if mask else None
    with rec.phase("forward"), sdpa_kernel([SDPBackend.MATH]):
        return torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=told)


def test_a_mask_is_added_in_place():
    """With a mask of the caller's and without one the most is the same: scores, softmax and its marks."""
    without, masked = (most(lambda rec, mask=mask: attended(rec, mask)) for mask in (False, True))
    assert masked == without


def test_it_is_counted_where_it_stands_in():
    def program():
        import torch

        tensors = [torch.empty(1, 8, 16, 64, device="cuda", dtype=torch.float64) for _ in range(3)]
        torch.nn.functional.scaled_dot_product_attention(*tensors, is_causal=True)

    assert applied(program)["attention_math"] == (1, 0)
