"""Eight devices that say the same need no eight names."""

import pytest

from fiche.report.devices import ranged


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ([f"cuda:{n}" for n in range(8)], ["cuda:0–7"]),
        (["cuda:0", "cuda:1"], ["cuda:0", "cuda:1"]),
        (["cuda:0", "cuda:2", "cuda:3", "cuda:4"], ["cuda:0", "cuda:2–4"]),
        (["limit · cuda:9", "limit · cuda:10", "limit · cuda:11"], ["limit · cuda:9–11"]),
        (["a:0", "b:1", "b:2"], ["a:0", "b:1", "b:2"]),
        (["cuda:2", "cuda:1", "cuda:0"], ["cuda:2", "cuda:1", "cuda:0"]),
        (["left", "right"], ["left", "right"]),
        ([], []),
    ],
)
def test_only_names_that_count_up_become_a_range(names, told):
    assert ranged(names) == told
