import pytest

from fiche.simulate.effects._gpu import gpu_of
from fiche.simulate.effects._reduction import staging_bytes

A100 = gpu_of((8, 0))


def test_rows_added_to_a_row():
    """2048 rows of 2048: blocks of 32 x 4 threads, 4 results each; 512 values a thread, so 32 blocks a result.
    The buffer counts a block's width and its results again: Reduce.cuh asks for that much."""
    found = staging_bytes((1, 2048, 2048), (2**22, 2048, 1), (0, 1), 4, A100)
    assert found == (4 * 2048 * 32 * 32 * 4, 4 * 16)


def test_everything_added_to_one_number():
    """2^26 values, 512 threads, 131072 values each: 512 blocks, so that none has more than 256."""
    assert staging_bytes((2**26,), (1,), (), 4, A100) == (4 * 512, 4)


def test_few_values_for_many_results_need_no_stage():
    assert staging_bytes((4096, 64), (64, 1), (1,), 4, A100) == ()
    assert staging_bytes((16, 4096), (4096, 1), (0,), 4, A100) == ()
    assert staging_bytes((0, 4), (4, 1), (0,), 4, A100) == ()


@pytest.mark.torch
def test_a_sum_holds_its_stage():
    from simulate.effects.rows_applied import applied

    def program():
        import torch

        torch.empty(1, 2048, 2048, device="cuda").sum((0, 1))
        torch.empty(2**20, device="cuda", dtype=torch.bfloat16).mean()

    assert applied(program)["reductions"] == (2, 4 * 2048 * 32 * 32 * 4 + 4 * 16)
