import pytest

from fiche.simulate.effects._gpu import gpu_of
from fiche.simulate.effects.efficient_attention_backward import Kernel, buffer_bytes, kernel_of

A100, A6000, T4, V100 = (gpu_of(each) for each in ((8, 0), (8, 6), (7, 5), (7, 0)))


@pytest.mark.parametrize(
    ("width", "half", "gpu", "kernel"),
    [
        (32, True, A100, Kernel(64, 64, 32, True)),
        (64, True, A6000, Kernel(64, 64, 64, True)),
        (96, True, A6000, Kernel(128, 64, 96, True)),
        (96, True, A100, Kernel(128, 128, 128, True)),
        (128, True, A100, Kernel(128, 128, 128, True)),
        (128, True, A6000, Kernel(64, 64, 128, False)),
        (128, False, A100, Kernel(128, 64, 128, False)),
        (256, True, A100, Kernel(128, 64, 65536, False)),
        (128, True, V100, Kernel(128, 64, 128, True)),
        (128, True, T4, Kernel(64, 64, 128, False)),
        (128, False, T4, Kernel(64, 64, 128, False)),
    ],
)
def test_the_first_kernel_that_fits(width, half, gpu, kernel):
    assert kernel_of(width, half, gpu) == kernel


def test_tiles_of_the_query_gradient():
    """32 tiles of 64 x 64 for each of 8 heads, each with 16 bytes of locks; the sums are 8 x 2048 of fp32."""
    shape = (1, 8, 2048, 64)
    assert buffer_bytes(shape, shape, 64, True, A100) == (65_536, 8 * 32 * (4 + 4096) * 4)


def test_gradients_of_keys_are_staged_where_registers_are_too_few():
    """25 splits (200 over 8 heads) of 64 keys, twice 128 wide, beside 64 tiles."""
    shape = (1, 8, 2048, 128)
    found = buffer_bytes(shape, shape, 128, True, A6000)
    assert found == (65_536, 8 * (25 * 64 * 256 + 64 * 4100) * 4)


def test_fp32_has_its_sums_in_the_results_themselves():
    shape = (1, 8, 2048, 128)
    assert buffer_bytes(shape, shape, 128, False, A100)[1] == 8 * 16 * 2 * (4 + 128 * 64) * 4


@pytest.mark.torch
def test_a_masked_training_step_holds_them():
    from simulate.effects.rows_applied import applied

    def program():
        import torch

        half = {"device": "cuda", "dtype": torch.bfloat16, "requires_grad": True}
        query, key, value = (torch.empty(1, 128, 8, 64, **half).transpose(1, 2) for _ in range(3))
        mask = torch.ones(1, 1, 128, 128, dtype=torch.bool, device="cuda")
        made = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        made.backward(torch.empty_like(made))

    held = 8 * 128 * 4 + 8 * 2 * (4 + 4096) * 4
    assert applied(program)["efficient_attention_backward"] == (1, held)
