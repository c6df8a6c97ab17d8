import pytest

from fiche.simulate.effects._gpu import gpu_of
from fiche.simulate.effects.flash_attention_backward import buffer_bytes

A100 = gpu_of((8, 0))


def test_sums_accumulator_and_gradients_of_every_query_head():
    """Length 1000 is rounded up to 1024; 8 key heads are expanded to 32."""
    found = buffer_bytes((2, 32, 1000, 128), (2, 8, 1000, 128), 2, A100)
    rows = 2 * 32 * 1024
    assert found == (rows * 4, rows * 128 * 4, 2 * 1000 * 32 * 128 * 2, 2 * 1000 * 32 * 128 * 2)
    assert found == (262_144, 33_554_432, 16_384_000, 16_384_000)


@pytest.mark.parametrize(
    ("width", "rounded"), [(64, 64), (80, 96), (128, 128), (136, 192), (256, 256)]
)
def test_widths_are_rounded_to_32_and_above_128_to_64(width, rounded):
    assert buffer_bytes((1, 1, 128, width), (1, 1, 128, width), 2, A100)[1] == 128 * rounded * 4


def test_equal_heads_need_no_expanded_gradients():
    assert len(buffer_bytes((1, 8, 128, 64), (1, 8, 128, 64), 2, A100)) == 2


def test_results_that_must_repeat_take_an_accumulator_for_each_round():
    """108 multiprocessors over 8 heads: 14 rounds."""
    usual = buffer_bytes((1, 8, 128, 64), (1, 8, 128, 64), 2, A100)
    exact = buffer_bytes((1, 8, 128, 64), (1, 8, 128, 64), 2, A100, exact=True)
    assert exact[1] == 14 * usual[1]
