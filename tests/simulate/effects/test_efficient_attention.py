import pytest
from simulate.effects.rows_applied import applied, most

pytestmark = pytest.mark.torch


def attended(width, dtype="bfloat16", learns=False):
    import torch

    given = {"device": "cuda", "dtype": getattr(torch, dtype), "requires_grad": learns}
    query, key, value = (torch.empty(1, 8, 100, width, **given) for _ in range(3))
    mask = torch.zeros(1, 8, 100, 104, dtype=given["dtype"], device="cuda")[..., :100]
    return torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)


def test_wide_heads_in_16_bits_sum_their_output_in_fp32():
    assert applied(lambda: attended(256))["efficient_attention"] == (1, 8 * 100 * 256 * 4)
    assert "efficient_attention" not in applied(lambda: attended(128))
    assert "efficient_attention" not in applied(lambda: attended(256, "float32"))


def test_row_sums_are_rounded_to_32_and_random_state_is_on_the_host():
    """Three inputs, a mask of 104 numbers a row, the output, and sums for 128 rows of each head."""

    def program(rec):
        with rec.phase("forward"):
            return attended(64, learns=True)

    each = 8 * 100 * 64 * 2
    mask = -(-8 * 100 * 104 * 2 // 512) * 512
    assert most(program) == 4 * each + mask + 8 * 128 * 4
