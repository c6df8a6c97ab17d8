import pytest
from simulate.effects.rows_applied import applied, most

pytestmark = pytest.mark.torch


def linear(rec, turned):
    import torch

    layer = torch.nn.Linear(256, 4096, device="cuda")
    entries = torch.empty(8, 128, 256, device="cuda")
    entries = entries.transpose(0, 1) if turned else entries
    torch.mm(layer.weight[:1], layer.weight[:1].t())  # cuBLAS has its workspace
    with rec.phase("forward"), torch.no_grad():
        return layer(entries)


def test_a_bias_takes_no_second_result():
    """The result is 8 x 128 x 4096 in fp32; turned, the input is copied in rows while it is made."""
    made, copied = 8 * 128 * 4096 * 4, 8 * 128 * 256 * 4
    assert most(lambda rec: linear(rec, turned=False)) == made
    assert most(lambda rec: linear(rec, turned=True)) == made + copied


def test_it_stands_in_only_where_no_product_takes_the_bias_along():
    def program():
        import torch

        layer = torch.nn.Linear(8, 8, device="cuda")
        layer(torch.empty(4, 8, device="cuda"))
        layer(torch.empty(2, 4, 8, device="cuda"))
        layer(torch.empty(2, 4, 8, device="cuda").transpose(0, 1)).sum().backward()

    assert applied(program)["added_bias"] == (1, 0)
