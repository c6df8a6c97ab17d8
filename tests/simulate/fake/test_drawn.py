import pytest
from simulate.effects.rows_applied import most

pytestmark = pytest.mark.torch

SIZE = 2**20


def program(std, bound):
    def run(rec):
        import torch

        values = torch.empty(SIZE, device="cuda")
        with rec.phase("init"):
            torch.nn.init.trunc_normal_(values, std=std, a=-bound, b=bound)

    return run


def test_where_no_value_lies_beyond_there_are_only_masks():
    # Below, above, and either: three truths of a byte.
    assert most(program(0.02, 2.0)) == 3 * SIZE


def test_where_some_do_they_are_drawn_again():
    # The mask, the values drawn anew and those put together; then three masks, the old one still there.
    assert most(program(1.0, 2.0)) == SIZE + 8 * SIZE


def test_narrow_bounds_take_uniform_values():
    # Candidates, what they are accepted by, the result; what is pending, what is refused anew, and both.
    assert most(program(1.0, 0.1)) == 12 * SIZE + 3 * SIZE


def test_values_of_the_host_are_filled():
    def run(rec):
        import torch

        values = torch.empty(8)
        with rec.phase("init"):
            torch.nn.init.trunc_normal_(values)

    assert most(run) == 0
