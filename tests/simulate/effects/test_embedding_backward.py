import pytest

from fiche.simulate.effects.embedding_backward import sums_bytes


def test_lists_of_rows_and_rows_in_fp32():
    """8192 tokens of a large vocabulary: at most 8192 rows differ, and 819 parts more may be needed."""
    lists, sums = sums_bytes(8192, 128_256, 2048, 8, 4)
    assert lists == (65_536, 65_536, 8)
    assert sums == (9011 * 8, 9011 * 2048 * 4)


def test_a_small_vocabulary_bounds_the_rows():
    assert sums_bytes(10_000, 100, 64, 8, 4)[1] == (1100 * 8, 1100 * 64 * 4)


@pytest.mark.torch
@pytest.mark.parametrize("tokens", [3072, 3073])
def test_few_tokens_are_not_sorted(tokens):
    from simulate.effects.rows_applied import applied

    def program():
        import torch

        table = torch.empty(10, 64, device="cuda", requires_grad=True)
        made = torch.nn.functional.embedding(
            torch.zeros(tokens, dtype=torch.long, device="cuda"), table
        )
        made.backward(torch.empty_like(made))

    found = applied(program).get("embedding_backward")
    listed = tokens * 8
    parts = tokens // 10 + 10
    sorted_ = 3 * listed + 8 + 2 * 10 * 8 + 8 + parts * 8 + parts * 64 * 4
    assert found == (None if tokens == 3072 else found)
    if found is not None:
        assert found[1] == sorted_
