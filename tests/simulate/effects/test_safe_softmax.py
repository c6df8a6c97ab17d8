import pytest
from simulate.effects.rows_applied import applied

pytestmark = pytest.mark.torch


def test_each_element_and_each_row_is_marked():
    """8 x 16 rows of 32: 4096 marks of a byte, 128 of rows, and a zero in fp32."""

    def program():
        import torch

        torch.ops.aten._safe_softmax.default(torch.empty(8, 16, 32, device="cuda"), -1)

    assert applied(program)["safe_softmax"] == (1, 4096 + 128 + 4)
