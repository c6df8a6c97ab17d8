import pytest
from simulate.effects.rows_applied import most

pytestmark = pytest.mark.torch


def program(learns):
    def run(rec):
        import torch

        given = {"device": "cuda", "dtype": torch.bfloat16, "requires_grad": learns}
        query, key, value = (torch.empty(1, 8, 128, 64, **given) for _ in range(3))
        with rec.phase("forward"):
            return torch.nn.functional.scaled_dot_product_attention(query, key, value)

    return run


def test_row_sums_are_kept_for_a_backward_pass_alone():
    """An output, two numbers of random state, and sums of 8 x 128 in fp32 where a gradient is wanted."""
    out = 8 * 128 * 64 * 2
    assert most(program(learns=False), (9, 0)) == out + 2 * 512
    assert most(program(learns=True), (9, 0)) == out + 2 * 512 + 8 * 128 * 4
