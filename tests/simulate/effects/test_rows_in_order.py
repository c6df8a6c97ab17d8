import pytest
from simulate.effects.rows_applied import applied

pytestmark = pytest.mark.torch


def test_an_input_that_lies_otherwise_is_copied():
    def program():
        import torch

        torch.softmax(torch.empty(64, 32, device="cuda").t(), -1)

    assert applied(program)["rows_in_order"] == (1, 64 * 32 * 4)


def test_rows_are_read_where_they_lie():
    def program():
        import torch

        entries = torch.empty(64, 32, device="cuda")
        torch.softmax(entries, -1)
        torch.nn.functional.layer_norm(entries, (32,))

    assert "rows_in_order" not in applied(program)
